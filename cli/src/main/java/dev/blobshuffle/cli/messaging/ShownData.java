package dev.blobshuffle.cli.messaging;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Formats keys, values and headers for terminals and JSON. Stateless. */
public final class ShownData {
    private ShownData() {}

    /** Text with escapes. Bytes that are not UTF-8 become hexadecimal digits after 0x. */
    public static String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return "null";
        }
        return utf8(bytes)
                .map(Shown::text)
                .orElseGet(() -> "0x" + HexFormat.of().formatHex(bytes));
    }

    /** Text with escapes, between quotes if there are bytes. */
    public static String quoted(byte @Nullable [] bytes) {
        if (bytes == null) {
            return "null";
        }
        return utf8(bytes).map(text -> "\"" + Shown.text(text) + "\"").orElseGet(() -> text(bytes));
    }

    /**
     * Adds a text to an object. Bytes that are not UTF-8 are added in Base64 under a different
     * name.
     */
    public static void put(Map<String, @Nullable Object> json, String name, byte @Nullable [] bytes) {
        if (bytes == null) {
            json.put(name, null);
            return;
        }
        Optional<String> text = utf8(bytes);
        if (text.isPresent()) {
            json.put(name, text.get());
        } else {
            json.put(name + "_base64", Base64.getEncoder().encodeToString(bytes));
        }
    }

    private static Optional<String> utf8(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
