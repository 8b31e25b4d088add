package dev.blobshuffle.bench.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * The sum of a group's members in a window.
 *
 * @param identifier of the group; empty before the first member
 * @param timestamp of the newest member, milliseconds
 * @param count members
 * @param sumInWatts of their values
 */
record GroupSum(String identifier, long timestamp, long count, double sumInWatts) {
    static final GroupSum NONE = new GroupSum("", 0, 0, 0);

    static final Serde<GroupSum> SERDE = Serdes.serdeFrom(
            (topic, sum) -> sum == null ? null : sum.bytes(), (topic, bytes) -> bytes == null ? null : of(bytes));

    /** With a member's measurement; the key names group and window. */
    GroupSum plus(String key, Measurement member) {
        return new GroupSum(
                key.substring(0, key.indexOf('@')),
                Math.max(timestamp, member.timestamp()),
                count + 1,
                sumInWatts + member.valueInWatts());
    }

    /** Without a member's older measurement. */
    GroupSum minus(Measurement member) {
        return new GroupSum(identifier, timestamp, count - 1, sumInWatts - member.valueInWatts());
    }

    /** The measurement for the group above. */
    Measurement asMeasurement() {
        return new Measurement(identifier, timestamp, sumInWatts);
    }

    double averageInWatts() {
        return count == 0 ? 0 : sumInWatts / count;
    }

    private byte[] bytes() {
        byte[] name = identifier.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(4 * Long.BYTES + name.length)
                .putLong(timestamp)
                .putLong(count)
                .putDouble(sumInWatts)
                .putDouble(averageInWatts())
                .put(name)
                .array();
    }

    static GroupSum of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long timestamp = buffer.getLong();
        long count = buffer.getLong();
        double sum = buffer.getDouble();
        buffer.getDouble();
        return new GroupSum(
                new String(bytes, buffer.position(), buffer.remaining(), StandardCharsets.UTF_8),
                timestamp,
                count,
                sum);
    }
}
