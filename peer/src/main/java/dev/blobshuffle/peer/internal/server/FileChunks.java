package dev.blobshuffle.peer.internal.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.stream.ChunkedNioFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * A file range in pieces, for a connection that encrypts or signs. If the file was truncated,
 * Netty's class requests the next piece forever; this class fails. Owned by the event loop.
 */
final class FileChunks extends ChunkedNioFile {
    FileChunks(FileChannel file, long offset, long length) throws IOException {
        super(file, offset, length, HeldBytes.CHUNK_LENGTH);
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
