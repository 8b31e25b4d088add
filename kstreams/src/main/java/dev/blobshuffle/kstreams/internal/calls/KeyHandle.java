package dev.blobshuffle.kstreams.internal.calls;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key in the table of keys with pending calls. Arrays are equal if their contents are. A function
 * that changes an array or moves a buffer's position does not move its key. Immutable as long as
 * the key is.
 */
public final class KeyHandle {
    /** The key of records without a key, if they share an order. */
    public static final KeyHandle NULL = new KeyHandle(new Object());

    private final Object[] content;
    private final int hash;

    private KeyHandle(Object key) {
        content = new Object[] {key};
        hash = Arrays.deepHashCode(content);
    }

    public static KeyHandle of(Object key) {
        if (key instanceof byte[] bytes) {
            return new KeyHandle(bytes.clone());
        }
        if (key instanceof ByteBuffer buffer) {
            return new KeyHandle(buffer.duplicate());
        }
        return new KeyHandle(key);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof KeyHandle that && hash == that.hash && Arrays.deepEquals(content, that.content);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Without the key, which is the user's data. */
    @Override
    public String toString() {
        return "key";
    }
}
