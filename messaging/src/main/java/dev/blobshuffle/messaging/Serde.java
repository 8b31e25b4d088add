package dev.blobshuffle.messaging;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Serializes and deserializes keys or values. Must be thread-safe if the publishers and subscribers
 * that share it use several threads.
 *
 * @param <T> the type of the keys or values
 */
public interface Serde<T> {
    /**
     * The bytes of a key or value.
     *
     * @param topic the topic of the record
     * @param value never null; an absent key or value has no bytes
     * @throws RuntimeException the record is not published
     */
    byte[] serialize(String topic, T value);

    /**
     * The key or value from bytes.
     *
     * @param topic the topic of the record
     * @throws RuntimeException the record goes to the dead letters, or the subscriber stops
     */
    T deserialize(String topic, byte[] bytes);

    /** Bytes unchanged, without a copy. */
    static Serde<byte[]> bytes() {
        return of(bytes -> bytes, bytes -> bytes);
    }

    /** Text in UTF-8. */
    static Serde<String> string() {
        return of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /** Numbers as 8 bytes, big-endian, as Kafka's {@code LongSerializer} writes them. */
    static Serde<Long> longs() {
        return of(
                number -> ByteBuffer.allocate(Long.BYTES).putLong(number).array(),
                bytes -> ByteBuffer.wrap(bytes).getLong());
    }

    /** A serde of two functions that do not depend on the topic. */
    static <T> Serde<T> of(Function<T, byte[]> serializer, Function<byte[], T> deserializer) {
        return new Serde<>() {
            @Override
            public byte[] serialize(String topic, T value) {
                return serializer.apply(value);
            }

            @Override
            public T deserialize(String topic, byte[] bytes) {
                return deserializer.apply(bytes);
            }
        };
    }
}
