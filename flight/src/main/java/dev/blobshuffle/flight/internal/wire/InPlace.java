package dev.blobshuffle.flight.internal.wire;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A message whose body gRPC does not copy. gRPC asks an allocator for a buffer, and writes the
 * message to it from start to end. This is memory for such a buffer that has the body already:
 *
 * <pre>
 *   | 5 bytes of gRPC | FlightData up to the body | body, as it was read from the file |
 *     gRPC writes these                             gRPC writes a mark, which is ignored
 * </pre>
 *
 * <p>Owned by the thread that sends the message, then by the buffer.
 */
public final class InPlace {
    /** Length and flag that gRPC writes before a message. */
    private static final int GRPC_HEADER = 5;

    /** The mark: what is written instead of as many bytes of the body. Its bytes mean nothing. */
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
     * A frame whose body lies in memory.
     *
     * @param lent the memory, which must have room for the rest of the message before the body
     * @param bodyAt where the body starts
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

    /** The memory as it was lent, to give it back. */
    public ByteBuffer lent() {
        return lent;
    }

    /** The memory of the message, with the bytes before it that are gRPC's. */
    public ByteBuffer memory() {
        return memory;
    }

    /** The message's bytes before its body. */
    byte[] start() {
        return start;
    }

    /** Makes a buffer of the memory; returns false if it is too small for one. */
    public boolean take(int capacity) {
        if (isTaken || capacity > memory.capacity()) {
            return false;
        }
        isTaken = true;
        return true;
    }

    /** Whether a buffer was made of the memory. If not, the message is copied like any other. */
    public boolean isTaken() {
        return isTaken;
    }

    /**
     * Asks for each write to the buffer: whether it is the mark, so that nothing is to be done.
     *
     * @param index in the memory, where the bytes are written
     */
    public boolean isInPlace(byte[] bytes, int index, int length) {
        if (bytes != MARK) { // The array itself, whatever its content.
            return false;
        }
        if (index != written) {
            throw new IllegalStateException("Cannot send a message in place: its body was written at " + index
                    + " instead of " + written + ".");
        }
        written += length;
        return true;
    }

    /** The bytes of the body that are left to write. */
    int left() {
        return memory.capacity() - written;
    }

    /** The mark. */
    static byte[] mark() {
        return MARK;
    }
}
