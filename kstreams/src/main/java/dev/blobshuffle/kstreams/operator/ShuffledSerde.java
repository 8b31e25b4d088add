package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.kafka.internal.log.NotificationRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Serializes {@link Shuffled} values, and distinguishes notifications from plain values by a header
 * and the first byte, as the wrapped clients do. Deserialization never fails, because a
 * deserialization handler could then skip a whole segment. Instead, the Debatcher detects an
 * invalid notification. Stateless.
 */
final class ShuffledSerde implements Serde<Shuffled>, Serializer<Shuffled>, Deserializer<Shuffled> {
    static final ShuffledSerde INSTANCE = new ShuffledSerde();

    private ShuffledSerde() {}

    @Override
    public Serializer<Shuffled> serializer() {
        return this;
    }

    @Override
    public Deserializer<Shuffled> deserializer() {
        return this;
    }

    @Override
    public byte @Nullable [] serialize(String topic, Headers headers, @Nullable Shuffled data) {
        if (data != null && data.isNotification()) {
            headers.add(new RecordHeader(NotificationRecord.HEADER, new byte[] {1}));
        }
        return serialize(topic, data);
    }

    @Override
    public byte @Nullable [] serialize(String topic, @Nullable Shuffled data) {
        return data == null ? null : data.bytes();
    }

    @Override
    public Shuffled deserialize(String topic, Headers headers, byte @Nullable [] data) {
        boolean isNotification =
                NotificationCodec.isNotification(data) && headers.lastHeader(NotificationRecord.HEADER) != null;
        return Shuffled.received(isNotification ? Shuffled.Kind.NOTIFICATION : Shuffled.Kind.PLAIN, data);
    }

    @Override
    public Shuffled deserialize(String topic, byte @Nullable [] data) {
        return Shuffled.received(Shuffled.Kind.PLAIN, data);
    }

    @Override
    public void close() {
        // Nothing to close; needed because all three interfaces have a default method.
    }

    @Override
    public void configure(java.util.Map<String, ?> configs, boolean isKey) {
        // Nothing to configure; needed as above.
    }
}
