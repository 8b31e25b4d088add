package dev.blobshuffle.kstreams.internal.commit;

import org.jspecify.annotations.Nullable;

/**
 * The place from which a record was read. Immutable; the arrays are Kafka Streams' own and no code
 * changes them.
 *
 * @param topic absent for records of a punctuator
 * @param partition of the topic
 * @param offset in the partition
 * @param key the original bytes; absent before Kafka 4.1, and if the key was null
 * @param value the original bytes; absent like the key
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record RecordOrigin(
        @Nullable String topic, int partition, long offset, byte @Nullable [] key, byte @Nullable [] value) {
    /** Size of key and value, as far as known. */
    public long bytes() {
        return (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
    }

    /** Without the bytes, which are the user's data. */
    @Override
    public String toString() {
        return topic + "-" + partition + " at offset " + offset;
    }
}
