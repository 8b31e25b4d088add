package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.format.record.Headers;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Presents Kafka's headers as the engine's headers. Reused for each record of a lane, and valid
 * during one append. Owned by its lane's owner.
 */
public final class HeaderAdapter implements Headers {
    private Header[] headers = {};

    /** An adapter without headers. */
    public HeaderAdapter() {}

    /**
     * The adapter, set to the headers of the next record; the engine's constant if there are none.
     */
    public Headers of(org.apache.kafka.common.header.Headers kafka) {
        headers = kafka.toArray();
        return headers.length == 0 ? NONE : this;
    }

    @Override
    public int count() {
        return headers.length;
    }

    @Override
    public String name(int index) {
        return headers[index].key();
    }

    @Override
    public byte @Nullable [] value(int index) {
        return headers[index].value();
    }

    /**
     * The headers of a returned record. Each record has its own, because applications may add
     * headers.
     */
    public static org.apache.kafka.common.header.Headers toKafka(Headers headers) {
        RecordHeaders kafka = new RecordHeaders();
        for (int i = 0; i < headers.count(); i++) {
            kafka.add(new RecordHeader(headers.name(i), headers.value(i)));
        }
        return kafka;
    }
}
