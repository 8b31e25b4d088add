package dev.blobshuffle.peer.internal.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;

/**
 * Cached bytes on their way to a socket. They are split into one piece per write, created when the
 * socket accepts more. So a slow reader holds the cached bytes but no copy of them. Bytes outside
 * the heap are sent without a copy. Owned by the event loop.
 */
final class HeldBytes implements ChunkedInput<ByteBuf> {
    /**
     * Length of one write. The JDK copies the bytes out of the heap, and this copy should fit in
     * the processor's cache.
     */
    static final int CHUNK_LENGTH = 128 << 10;

    /** Length of a write without a copy, which is larger to need fewer writes. */
    private static final int DIRECT_LENGTH = 1 << 20;

    private final ByteBuffer bytes;
    private final int start;
    private final Runnable whenClosed;

    /** @param whenClosed runs when the bytes are no longer needed */
    HeldBytes(ByteBuffer bytes, Runnable whenClosed) {
        this.bytes = bytes;
        this.start = bytes.position();
        this.whenClosed = whenClosed;
    }

    @Override
    public boolean isEndOfInput() {
        return !bytes.hasRemaining();
    }

    @Override
    public void close() {
        whenClosed.run();
    }

    @Override
    @Deprecated
    public ByteBuf readChunk(ChannelHandlerContext context) {
        return readChunk(context.alloc());
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) {
        int length = Math.min(bytes.isDirect() ? DIRECT_LENGTH : CHUNK_LENGTH, bytes.remaining());
        if (bytes.isDirect()) {
            ByteBuf view = Unpooled.wrappedBuffer(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
            return view;
        }
        // Copied here, so that the cached bytes can be released once the last chunk is read. The
        // transport would make the same copy later.
        ByteBuf chunk = allocator.directBuffer(length, length);
        ByteBuffer part = bytes.slice(bytes.position(), length);
        chunk.writeBytes(part);
        bytes.position(bytes.position() + length);
        return chunk;
    }

    @Override
    public long length() {
        return bytes.limit() - start;
    }

    @Override
    public long progress() {
        return bytes.position() - start;
    }
}
