package dev.blobshuffle.bench.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * A sensor's measurement: Theodolite's active power record with a different serde. It has time and
 * value, 8 bytes each, and the identifier.
 *
 * @param identifier of the sensor, or of a group
 * @param timestamp milliseconds
 * @param valueInWatts the measured value
 */
record Measurement(String identifier, long timestamp, double valueInWatts) {
    static final Serde<Measurement> SERDE = Serdes.serdeFrom(
            (topic, measurement) -> measurement == null ? null : measurement.bytes(),
            (topic, bytes) -> bytes == null ? null : of(bytes));

    byte[] bytes() {
        byte[] name = identifier.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Long.BYTES + name.length)
                .putLong(timestamp)
                .putDouble(valueInWatts)
                .put(name)
                .array();
    }

    static Measurement of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long timestamp = buffer.getLong();
        double value = buffer.getDouble();
        return new Measurement(
                new String(bytes, buffer.position(), buffer.remaining(), StandardCharsets.UTF_8), timestamp, value);
    }
}
