package dev.blobshuffle.cli.tail;

import dev.blobshuffle.cli.messaging.ShownData;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Decoders of keys and values, by the names of Kafka's own serdes. */
enum Serde {
    /** Text in UTF-8, with escapes; other bytes as hexadecimal digits. */
    STRING(0, bytes -> ShownData.quoted(bytes)),
    /** Hexadecimal digits. */
    BYTES(0, Serde::hex),
    /** A two-byte integer. */
    SHORT(Short.BYTES, bytes -> String.valueOf(ByteBuffer.wrap(bytes).getShort())),
    /** A four-byte integer. */
    INTEGER(Integer.BYTES, bytes -> String.valueOf(ByteBuffer.wrap(bytes).getInt())),
    /** An eight-byte integer. */
    LONG(Long.BYTES, bytes -> String.valueOf(ByteBuffer.wrap(bytes).getLong())),
    /** A four-byte floating-point number. */
    FLOAT(Float.BYTES, bytes -> String.valueOf(ByteBuffer.wrap(bytes).getFloat())),
    /** An eight-byte floating-point number. */
    DOUBLE(Double.BYTES, bytes -> String.valueOf(ByteBuffer.wrap(bytes).getDouble())),
    /** The text of a UUID. */
    UUID(36, bytes -> java.util.UUID.fromString(ascii(bytes)).toString()),
    /** One byte, 0 or 1. */
    BOOLEAN(1, bytes -> String.valueOf(bytes[0] != 0));

    private final int length;
    private final Function<byte[], String> decoder;

    Serde(int length, Function<byte[], String> decoder) {
        this.length = length;
        this.decoder = decoder;
    }

    /**
     * A key or value as text without control characters. Bytes that are not of this type become
     * hexadecimal digits.
     */
    String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return "null";
        }
        if (length != 0 && bytes.length != length) {
            return hex(bytes);
        }
        try {
            return decoder.apply(bytes);
        } catch (IllegalArgumentException e) {
            return hex(bytes);
        }
    }

    private static String hex(byte[] bytes) {
        return "0x" + HexFormat.of().formatHex(bytes);
    }

    private static String ascii(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** The names on the command line. */
    static final class Names implements ITypeConverter<Serde> {
        @Override
        public Serde convert(String text) {
            try {
                return valueOf(text.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("Cannot decode with serde '" + text + "'. Give "
                        + Arrays.stream(values())
                                .map(serde -> serde.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + ".");
            }
        }
    }
}
