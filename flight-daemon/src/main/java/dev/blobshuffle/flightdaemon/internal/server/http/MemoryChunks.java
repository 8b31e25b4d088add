package dev.blobshuffle.flightdaemon.internal.server.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A blob's bytes in memory as pieces, without copying. Owned by the event loop. */
final class MemoryChunks implements ChunkedInput<ByteBuf> {
    private static final int LENGTH = 256 << 10;

    private final ArrayDeque<ByteBuffer> parts;
    private final long length;
    private long progress;

    MemoryChunks(List<ByteBuffer> parts) {
        this.parts = new ArrayDeque<>(parts);
        length = parts.stream().mapToLong(ByteBuffer::remaining).sum();
    }

    @Override
    public boolean isEndOfInput() {
        return progress == length;
    }

    @Override
    @Deprecated
    public @Nullable ByteBuf readChunk(ChannelHandlerContext context) {
        return readChunk(context.alloc());
    }

    @Override
    public @Nullable ByteBuf readChunk(ByteBufAllocator allocator) {
        ByteBuffer first = parts.peekFirst();
        if (first == null) {
            return null;
        }
        int taken = Math.min(LENGTH, first.remaining());
        ByteBuf piece = Unpooled.wrappedBuffer(first.slice(first.position(), taken));
        first.position(first.position() + taken);
        if (!first.hasRemaining()) {
            parts.removeFirst();
        }
        progress += taken;
        return piece;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public long progress() {
        return progress;
    }

    @Override
    public void close() {
        parts.clear();
    }
}
