package dev.blobshuffle.kstreams.differential.drawn;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** Texts of which some cannot be serialized and others cannot be deserialized. */
public final class FragileSerde implements Serde<String> {
    /** Called by Kafka Streams. */
    public FragileSerde() {}

    @Override
    public Serializer<String> serializer() {
        return (topic, text) -> bytes(text);
    }

    @Override
    public Deserializer<String> deserializer() {
        return (topic, bytes) -> text(bytes);
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!text.isEmpty() && text.charAt(0) == Texts.UNWRITABLE) {
            throw new SerializationException("not writable");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        if (bytes.length > 0 && bytes[0] == Texts.UNREADABLE) {
            throw new SerializationException("not readable");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
