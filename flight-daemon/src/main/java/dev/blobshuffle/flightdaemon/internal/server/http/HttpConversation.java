package dev.blobshuffle.flightdaemon.internal.server.http;

import dev.blobshuffle.flightdaemon.internal.blob.OpenBlob;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.DefaultFileRegion;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.LastHttpContent;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.handler.timeout.IdleStateEvent;
import io.grpc.netty.shaded.io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, which has one request at a time: those that the client sends ahead wait in the
 * codec and the socket.
 *
 * <pre>
 *   WAITING ──request──▶ FINDING ──answer──▶ SENDING ──sent──▶ WAITING
 *      │ late               (a worker)          │ client takes nothing
 *      └──────────────▶ closed ◀────────────────┘
 * </pre>
 *
 * <p>Owned by the connection's event loop.
 */
final class HttpConversation extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConversation.class);

    private final HttpServer server;
    private State state = State.WAITING;
    private @Nullable ScheduledFuture<?> deadline;

    private enum State {
        WAITING,
        FINDING,
        SENDING
    }

    HttpConversation(HttpServer server) {
        this.server = server;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        expectRequest(context, server.limits().request());
        context.fireChannelActive();
    }

    private void expectRequest(ChannelHandlerContext context, Duration within) {
        state = State.WAITING;
        deadline = context.executor()
                .schedule(
                        () -> server.end(context.channel(), "no complete request within " + within.toMillis() + " ms"),
                        within.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void stopDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (!(message instanceof HttpRequest request) || state != State.WAITING) {
            return; // The end of a request, which has no body.
        }
        stopDeadline();
        state = State.FINDING;
        context.channel().config().setAutoRead(false);
        if (request.decoderResult().isFailure()) {
            HttpAnswer refusal = HttpAnswer.failure(
                    HttpResponseStatus.BAD_REQUEST, "Cannot read the request. Send HTTP/1.1 with less than 8 KiB.");
            send(context, request, refusal);
            return;
        }
        server.find(request, answer -> {
            try {
                context.executor().execute(() -> send(context, request, answer));
            } catch (RuntimeException e) { // The event loop has shut down.
                answer.drop();
            }
        });
    }

    private void send(ChannelHandlerContext context, HttpRequest request, HttpAnswer answer) {
        Channel channel = context.channel();
        if (!channel.isActive()) {
            answer.drop();
            return;
        }
        state = State.SENDING;
        boolean isLast = answer.isLast() || !HttpUtil.isKeepAlive(request);
        answer.part().ifPresent(part -> server.earned(channel, part.tenant()));
        byte[] text = answer.text().getBytes(StandardCharsets.UTF_8);
        long length = answer.part().map(part -> part.range().length()).orElse((long) text.length);
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, answer.status());
        head.headers().set(answer.headers());
        if (!answer.status().equals(HttpResponseStatus.NOT_MODIFIED)) {
            head.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
        }
        HttpUtil.setKeepAlive(head, !isLast);
        context.write(head);
        if (request.method().equals(HttpMethod.HEAD)) {
            answer.drop();
        } else if (answer.part().isPresent()) {
            HttpAnswer.Part part = answer.part().get();
            if (part.blob().isCopy()) {
                ChannelFuture ignored = watch(context, part, CopySending.start(context, part, server.copies()))
                        .addListener(sent -> {
                            if (sent.isSuccess()) {
                                end(context, isLast);
                            }
                        });
                return;
            }
            ChannelFuture ignored = watch(context, part, write(context, part.blob(), part.range()));
        } else {
            context.write(Unpooled.wrappedBuffer(text));
        }
        end(context, isLast);
    }

    private void end(ChannelHandlerContext context, boolean isLast) {
        Channel channel = context.channel();
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener((ChannelFuture written) -> {
            if (written.isSuccess() && !isLast) {
                expectRequest(context, server.limits().idle());
                channel.config().setAutoRead(true);
            } else {
                channel.close();
            }
        });
    }

    /** Counts the bytes when they are sent, and closes the blob. */
    private ChannelFuture watch(ChannelHandlerContext context, HttpAnswer.Part part, ChannelFuture written) {
        return written.addListener(sent -> {
            part.blob().close();
            if (sent.isSuccess()) {
                server.sent(part.range().length());
            } else {
                // The client detects missing bytes by the length.
                server.failed(context.channel(), sent.cause());
            }
        });
    }

    private static ChannelFuture write(ChannelHandlerContext context, OpenBlob blob, HttpRange range) {
        Optional<List<ByteBuffer>> held = blob.parts(range.first(), range.length());
        if (held.isPresent()) {
            return context.write(new MemoryChunks(held.get()));
        }
        FileChannel file = blob.file().orElseThrow();
        if (context.pipeline().get(SslHandler.class) == null) {
            // The kernel sends the file. The region closes the file.
            return context.write(new DefaultFileRegion(file, range.first(), range.length()));
        }
        try {
            return context.write(new FileChunks(file, range.first(), range.length()));
        } catch (IOException e) {
            blob.close();
            return context.newFailedFuture(e);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (!(event instanceof IdleStateEvent)) {
            super.userEventTriggered(context, event);
        } else if (state == State.SENDING) {
            server.stalled(context.channel());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        stopDeadline();
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connection failed.", cause);
        context.close();
    }
}
