package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one protobuf message. Total: for any bytes, it returns a value or throws
 * {@link IllegalArgumentException}. A length never allocates more than the message has. Owned by
 * one thread.
 *
 * <p>Call {@link #next}, check {@link #field}, then call the method of the field's type, or none to
 * skip the field.
 */
public final class ProtoReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private final ByteBuffer message;
    private int field;
    private int type;
    private boolean isPending;

    /** A reader of the bytes between position and limit, which it does not move. */
    public ProtoReader(ByteBuffer message) {
        this.message = message.slice();
    }

    /** Moves to the next field; returns false if there is none. */
    public boolean next() {
        if (isPending) {
            skip();
        }
        if (!message.hasRemaining()) {
            return false;
        }
        long tag = varlong();
        field = (int) (tag >>> 3);
        type = (int) (tag & 7);
        if (tag >>> 3 < 1 || tag >>> 32 != 0) {
            throw malformed("a field has number " + (tag >>> 3));
        }
        isPending = true;
        return true;
    }

    /** The number of the present field. */
    public int field() {
        return field;
    }

    /** The field as an integer or enum. */
    public long number() {
        take(VARINT);
        return varlong();
    }

    /** The field as bytes, not copied. */
    public ByteBuffer bytes() {
        take(BYTES);
        return take(varlong());
    }

    /** The field as bytes, copied. */
    public byte[] array() {
        ByteBuffer bytes = bytes();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    /** The field as UTF-8 text. */
    public String text() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(bytes())
                    .toString();
        } catch (CharacterCodingException e) {
            throw malformed("a text is not UTF-8");
        }
    }

    private void skip() {
        isPending = false;
        switch (type) {
            case VARINT -> {
                long ignored = varlong();
            }
            case FIXED64 -> {
                ByteBuffer ignored = take((long) Long.BYTES);
            }
            case BYTES -> {
                ByteBuffer ignored = take(varlong());
            }
            case FIXED32 -> {
                ByteBuffer ignored = take((long) Integer.BYTES);
            }
            default -> throw malformed("field " + field + " has wire type " + type);
        }
    }

    private void take(int expected) {
        if (!isPending || type != expected) {
            throw malformed("field " + field + " has wire type " + type + ", not " + expected);
        }
        isPending = false;
    }

    private ByteBuffer take(long length) {
        if (length < 0 || length > message.remaining()) {
            throw malformed("field " + field + " has " + Long.toUnsignedString(length) + " bytes where "
                    + message.remaining() + " are left");
        }
        ByteBuffer part = message.slice(message.position(), (int) length);
        message.position(message.position() + (int) length);
        return part;
    }

    private long varlong() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && message.hasRemaining(); shift += 7) {
            byte next = message.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed("a number does not end");
    }

    private static IllegalArgumentException malformed(String reason) {
        return new IllegalArgumentException(
                "Cannot read a request: " + reason + ". Send a protobuf message of Flight.");
    }
}
