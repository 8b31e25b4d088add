package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A message whose body gRPC does not copy. gRPC asks an allocator for a buffer, and writes the
 * message to it from start to end. This class provides the memory of such a buffer, which already
 * contains the body:
 *
 * <pre>
 *   | 5 bytes of gRPC | FlightData up to the body | body, as it was read from the file |
 *     gRPC writes these                             gRPC writes a mark, which is ignored
 * </pre>
 *
 * <p>Owned by the thread that sends the message, then by the buffer.
 */
public final class InPlace {
    /** Length of the header that gRPC writes before a message: a flag and the length. */
    private static final int GRPC_HEADER = 5;

    /** The mark, written in place of the same number of body bytes. Its content has no meaning. */
    private static final byte[] MARK = new byte[256 << 10];

    private final ByteBuffer lent;
    private final ByteBuffer memory;
    private final byte[] start;
    private int written;
    private boolean isTaken;

    private InPlace(ByteBuffer lent, ByteBuffer memory, byte[] start) {
        this.lent = lent;
        this.memory = memory;
        this.start = start;
        written = GRPC_HEADER + start.length;
    }

    /**
     * A frame whose body is in a buffer.
     *
     * @param lent the buffer, with room for the rest of the message before the body
     * @param bodyAt offset of the body
     * @return empty if there is too little room
     */
    public static Optional<InPlace> of(FlightFrame frame, ByteBuffer lent, int bodyAt) {
        byte[] start = frame.start();
        int from = bodyAt - start.length - GRPC_HEADER;
        if (from < 0) {
            return Optional.empty();
        }
        ByteBuffer memory = lent.slice(from, bodyAt + frame.body().remaining() - from);
        return Optional.of(new InPlace(lent, memory, start));
    }

    /** The whole buffer, to return it to the pool. */
    public ByteBuffer lent() {
        return lent;
    }

    /** The memory of the message, including gRPC's header. */
    public ByteBuffer memory() {
        return memory;
    }

    /** The message's bytes before its body. */
    byte[] start() {
        return start;
    }

    /** Claims the memory for a buffer; returns false if it is too small. */
    public boolean take(int capacity) {
        if (isTaken || capacity > memory.capacity()) {
            return false;
        }
        isTaken = true;
        return true;
    }

    /** Whether a buffer uses the memory. If not, gRPC copies the message as usual. */
    public boolean isTaken() {
        return isTaken;
    }

    /**
     * Whether a write to the buffer is the mark, and must be skipped.
     *
     * @param index target of the write in the memory
     */
    public boolean isInPlace(byte[] bytes, int index, int length) {
        if (bytes != MARK) { // Compares the array's identity, not its content.
            return false;
        }
        if (index != written) {
            throw new IllegalStateException("Cannot send a message in place: its body was written at " + index
                    + " instead of " + written + ".");
        }
        written += length;
        return true;
    }

    /** The number of body bytes left to write. */
    int left() {
        return memory.capacity() - written;
    }

    /** The mark. */
    static byte[] mark() {
        return MARK;
    }
}
