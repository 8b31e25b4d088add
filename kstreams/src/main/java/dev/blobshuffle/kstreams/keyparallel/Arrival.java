package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.commit.RecordOrigin;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * A record that a node has taken. Its headers are a copy, so other nodes and the function cannot
 * change them. Immutable if its key and value are, except for the request, which the stream thread
 * sets before the call.
 */
final class Arrival<K, V> {
    private final Record<K, V> record;
    private final RecordOrigin origin;
    private final long number;

    /** The input of the call in a staged node. */
    private @Nullable Object request;

    private Arrival(Record<K, V> record, RecordOrigin origin, long number) {
        this.record = record;
        this.origin = origin;
        this.number = number;
    }

    /**
     * Takes a record.
     *
     * @param origin where the record was read
     * @param number position in the order in which the node takes records
     */
    static <K, V> Arrival<K, V> of(Record<K, V> record, RecordOrigin origin, long number) {
        return new Arrival<>(copy(record), origin, number);
    }

    Record<K, V> record() {
        return record;
    }

    RecordOrigin origin() {
        return origin;
    }

    long number() {
        return number;
    }

    /** A copy for the function, which may change it. */
    Record<K, V> forFunction() {
        return copy(record);
    }

    void prepare(@Nullable Object prepared) {
        request = prepared;
    }

    @Nullable
    Object request() {
        return request;
    }

    private static <K, V> Record<K, V> copy(Record<K, V> record) {
        return new Record<>(record.key(), record.value(), record.timestamp(), record.headers());
    }
}
