package dev.blobshuffle.messaging.internal.publish;

import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.messaging.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Presents the headers of one record at a time to the engine. Owned by one thread at a time. */
final class RecordHeaders implements Headers {
    private List<Header> shown = List.of();

    /** The headers of a record, until the next call. */
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
