package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.commit.RecordOrigin;
import org.apache.kafka.streams.processor.api.Record;

/**
 * A record as it came: its headers are a copy, so that what other nodes or the function do with theirs stays with them. Immutable as far as its key and value are.
 *
 * @param origin where it was read
 */
record Arrival<K, V>(Record<K, V> record, RecordOrigin origin) {
    static <K, V> Arrival<K, V> of(Record<K, V> record, RecordOrigin origin) {
        return new Arrival<>(copy(record), origin);
    }

    /** A copy for the function, which may change it. */
    Record<K, V> forFunction() {
        return copy(record);
    }

    private static <K, V> Record<K, V> copy(Record<K, V> record) {
        return new Record<>(record.key(), record.value(), record.timestamp(), record.headers());
    }
}
