package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.peer.internal.trust.AnswerProof;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends signs of life to the other side while its request is being processed. Owned by the event
 * loop.
 */
final class SignsOfLife {
    private final ChannelHandlerContext context;
    private final String proof;
    private @Nullable ScheduledFuture<?> next;

    /** @param proof of each sign; empty if the request demands none */
    SignsOfLife(ChannelHandlerContext context, String proof) {
        this.context = context;
        this.proof = proof;
    }

    void every(long millis) {
        send();
        next = context.executor().scheduleAtFixedRate(this::send, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void send() {
        DefaultFullHttpResponse sign =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.PROCESSING, Unpooled.EMPTY_BUFFER);
        if (!proof.isEmpty()) {
            sign.headers().set(AnswerProof.HEADER, proof);
        }
        context.writeAndFlush(sign);
    }

    void end() {
        if (next != null) {
            next.cancel(false);
        }
    }
}
