package dev.blobshuffle.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;

/**
 * Bytes in memory on their way to a socket: in pieces, each as large as a write, made when the socket takes more. So a slow reader holds the cached bytes and no copy of them. Those outside the heap are sent
 * from where they lie. Owned by the event loop.
 */
final class HeldBytes implements ChunkedInput<ByteBuf> {
    /** What one write takes: the JDK copies it out of the heap, and that copy should stay in the processor's cache. */
    static final int CHUNK_LENGTH = 128 << 10;

    /** Where nothing is copied: fewer and larger writes. */
    private static final int DIRECT_LENGTH = 1 << 20;

    private final ByteBuffer bytes;
    private final int start;
    private final Runnable whenClosed;

    /** @param whenClosed runs when no byte is needed any more */
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
        // Copied here and not by the transport, which would do the same after one more object: the cached bytes may go
        // once the last chunk is read.
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
