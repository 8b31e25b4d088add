package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.messaging.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows the headers of one record after the other to the engine. Owned by one thread at a time. */
final class RecordHeaders implements Headers {
    private List<Header> shown = List.of();

    /** These headers, until the next call. */
    Headers of(List<Header> headers) {
        if (headers.isEmpty()) {
            return Headers.NONE;
        }
        shown = headers;
        return this;
    }

    @Override
    public int count() {
        return shown.size();
    }

    @Override
    public String name(int index) {
        return shown.get(index).name();
    }

    @Override
    public byte @Nullable [] value(int index) {
        return shown.get(index).value();
    }
}
