package dev.blobshuffle.peer.internal.trust;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/** Bytes on their way to a socket, followed by their MAC. Owned by the event loop. */
public final class SealedBytes implements ChunkedInput<ByteBuf> {
    private final ChunkedInput<ByteBuf> content;
    private final Mac mac;
    private boolean isSealed;

    public SealedBytes(ChunkedInput<ByteBuf> content, Mac mac) {
        this.content = content;
        this.mac = mac;
    }

    @Override
    public boolean isEndOfInput() {
        return isSealed;
    }

    @Override
    public void close() throws Exception {
        content.close();
    }

    @Override
    @Deprecated
    public @Nullable ByteBuf readChunk(ChannelHandlerContext context) throws Exception {
        return readChunk(context.alloc());
    }

    @Override
    public @Nullable ByteBuf readChunk(ByteBufAllocator allocator) throws Exception {
        if (content.isEndOfInput()) {
            isSealed = true;
            return Unpooled.wrappedBuffer(mac.doFinal());
        }
        ByteBuf chunk = content.readChunk(allocator);
        if (chunk != null) {
            for (ByteBuffer part : chunk.nioBuffers()) {
                mac.update(part);
            }
        }
        return chunk;
    }

    @Override
    public long length() {
        return content.length() + AnswerProof.SEAL_LENGTH;
    }

    @Override
    public long progress() {
        return content.progress() + (isSealed ? AnswerProof.SEAL_LENGTH : 0);
    }
}
