package dev.blobshuffle.flightdaemon.internal.server.http;

import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.stream.ChunkedNioFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * A file range in pieces, for a connection that encrypts. If the file was truncated, Netty's class
 * requests the next piece forever; this class fails. Owned by the event loop.
 */
final class FileChunks extends ChunkedNioFile {
    private static final int LENGTH = 64 << 10;

    FileChunks(FileChannel file, long offset, long length) throws IOException {
        super(file, offset, length, LENGTH);
    }

    @Override
    public @Nullable ByteBuf readChunk(ByteBufAllocator allocator) throws Exception {
        ByteBuf piece = super.readChunk(allocator);
        if (piece != null && !piece.isReadable()) {
            piece.release();
            throw new EOFException("Cannot send a blob: its file was truncated at " + currentOffset() + ".");
        }
        return piece;
    }
}
