package dev.blobshuffle.messaging;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A record to publish.
 *
 * @param topic its topic
 * @param partition of the topic; empty: as Kafka's default partitioner chooses by the key, or any
 *     partition without a key
 * @param timestamp milliseconds since the Unix epoch; empty: now
 * @param key records of one key stay in order; null: none
 * @param value null: none
 * @param headers in order
 */
public record OutgoingRecord<K, V>(
        String topic,
        OptionalInt partition,
        OptionalLong timestamp,
        @Nullable K key,
        @Nullable V value,
        List<Header> headers) {
    /** Copies the headers. */
    public OutgoingRecord {
        Objects.requireNonNull(topic, "topic");
        headers = List.copyOf(headers);
    }

    /** A record without headers, with the current time, in the partition of its key. */
    public OutgoingRecord(String topic, @Nullable K key, @Nullable V value) {
        this(topic, OptionalInt.empty(), OptionalLong.empty(), key, value, List.of());
    }

    /** A copy with other headers. */
    public OutgoingRecord<K, V> withHeaders(List<Header> others) {
        return new OutgoingRecord<>(topic, partition, timestamp, key, value, others);
    }

    /** A copy with an explicit partition. */
    public OutgoingRecord<K, V> toPartition(int number) {
        return new OutgoingRecord<>(topic, OptionalInt.of(number), timestamp, key, value, headers);
    }

    /** A copy with a timestamp in milliseconds since the Unix epoch. */
    public OutgoingRecord<K, V> at(long millis) {
        return new OutgoingRecord<>(topic, partition, OptionalLong.of(millis), key, value, headers);
    }
}
