package dev.blobshuffle.peer.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.EOFException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** How a range of a file is sent over a connection that encrypts. */
class FileChunksTest {
    @TempDir
    private Path directory;

    private ChannelFuture send(EmbeddedChannel connection, int stored, long offset, long length) throws Exception {
        Path file = Files.write(directory.resolve("blob"), new byte[stored]);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return connection.writeAndFlush(new FileChunks(channel, offset, length));
    }

    @Test
    void theRangeIsSent() throws Exception {
        EmbeddedChannel connection = new EmbeddedChannel(new ChunkedWriteHandler());
        assertThat(send(connection, 300_000, 100, 200_000).isSuccess()).isTrue();
        long sent = 0;
        for (ByteBuf piece = connection.readOutbound(); piece != null; piece = connection.readOutbound()) {
            sent += piece.readableBytes();
            piece.release();
        }
        assertThat(sent).isEqualTo(200_000);
    }

    @Test
    @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
    void aFileThatWasTruncatedFailsTheAnswer() throws Exception {
        EmbeddedChannel connection = new EmbeddedChannel(new ChunkedWriteHandler());
        ChannelFuture sent = send(connection, 300_000, 100, 400_000);
        // Netty 4.2 notices it by itself, in its own words.
        assertThat(sent.cause()).isInstanceOf(EOFException.class);
        connection.releaseOutbound();
    }
}
