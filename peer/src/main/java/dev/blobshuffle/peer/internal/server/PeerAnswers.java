package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.internal.cache.CachedFile;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartAnswerCodec;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.peer.internal.message.PeerRequest;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.AnswerProof;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import dev.blobshuffle.peer.internal.trust.SealedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the answers on one connection from another member. Each answer has the proof that its
 * request demanded, and states the turn of the next request. Owned by the connection's event loop.
 */
final class PeerAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(PeerAnswers.class);
    private static final String PLAIN_TEXT = "text/plain; charset=utf-8";

    private final PeerOptions options;
    private final ShuffleMetrics metrics;
    private final Consumer<ChannelHandlerContext> whenAnswered;

    /** The proof that the answer to the current request needs. */
    private Optional<AnswerProof> proof = Optional.empty();

    /**
     * The turn of the next request, as stated in the answer to the current request; empty: not
     * stated.
     */
    private String turn = "";

    /**
     * @param whenAnswered called when an answer has been written and the next request may come
     */
    PeerAnswers(PeerOptions options, ShuffleMetrics metrics, Consumer<ChannelHandlerContext> whenAnswered) {
        this.options = options;
        this.metrics = metrics;
        this.whenAnswered = whenAnswered;
    }

    /** Takes the proof and the turn of the current request from its check. */
    void begin(RequestCheck.Verdict verdict) {
        proof = verdict.proof();
        turn = verdict.turn();
    }

    /** The proof that the answer to the current request needs. */
    Optional<AnswerProof> proof() {
        return proof;
    }

    /** Sends a page, and releases it. */
    void send(ChannelHandlerContext context, PeerPages.Page page) {
        send(context, HttpResponseStatus.PARTIAL_CONTENT, page.bytes(), page.release());
    }

    /** Sends the answer to a part. */
    void send(ChannelHandlerContext context, PartAnswer answer) {
        send(context, HttpResponseStatus.CREATED, PartAnswerCodec.encode(answer), () -> {});
    }

    private void send(ChannelHandlerContext context, HttpResponseStatus status, byte[] bytes, Runnable release) {
        if (!context.channel().isActive()) {
            release.run();
            return;
        }
        context.write(head(status, bytes.length));
        context.write(sealed(new HeldBytes(ByteBuffer.wrap(bytes), release)));
        sent(context, bytes.length);
    }

    /** Sends the bytes of a blob, and closes them. */
    void send(ChannelHandlerContext context, PeerRequest wanted, BlobBytes bytes) {
        if (bytes.buffer().remaining() != wanted.range().length()) {
            bytes.close();
            fail(context, HttpResponseStatus.BAD_GATEWAY, null);
            return;
        }
        if (!context.channel().isActive()) {
            bytes.close();
            return;
        }
        context.write(head(wanted));
        context.write(sealed(new HeldBytes(bytes.buffer().duplicate(), bytes::close)));
        sent(context, wanted.range().length());
    }

    /** Sends the bytes of a blob from a file, and closes it. */
    void send(ChannelHandlerContext context, PeerRequest wanted, CachedFile file) {
        context.write(head(wanted));
        boolean isSealed = proof.filter(AnswerProof::isSealed).isPresent();
        if (context.pipeline().get(SslHandler.class) == null && !isSealed) {
            context.write(new DefaultFileRegion(file.channel(), file.position(), file.length()))
                    .addListener((ChannelFuture written) -> fileSent(context, file, written));
        } else {
            try {
                // The bytes pass through memory, because this process encrypts or signs them.
                context.write(sealed(new FileChunks(file.channel(), file.position(), file.length())))
                        .addListener((ChannelFuture written) -> fileSent(context, file, written));
            } catch (IOException e) {
                file.close();
                context.close();
                return;
            }
        }
        sent(context, wanted.range().length());
    }

    /** Closes the connection if bytes of a file are missing. The reader detects the early end. */
    private static void fileSent(ChannelHandlerContext context, CachedFile file, ChannelFuture written) {
        file.close();
        if (!written.isSuccess()) {
            context.close();
        }
    }

    private void sent(ChannelHandlerContext context, long length) {
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener((ChannelFuture written) -> {
            if (written.isSuccess()) {
                metrics.add(Counter.PEER_REQUESTS, 1);
                metrics.add(Counter.PEER_BYTES, length);
                answered(context);
            } else {
                context.close();
            }
        });
    }

    private ChunkedInput<ByteBuf> sealed(ChunkedInput<ByteBuf> content) {
        return proof.filter(AnswerProof::isSealed)
                .<ChunkedInput<ByteBuf>>map(demanded -> new SealedBytes(content, demanded.seal()))
                .orElse(content);
    }

    private void answered(ChannelHandlerContext context) {
        proof = Optional.empty();
        turn = "";
        whenAnswered.accept(context);
    }

    /** Starts to send signs of life, which end before the answer. */
    SignsOfLife signsOfLife(ChannelHandlerContext context) {
        String own = proof.map(demanded -> demanded.header(HttpResponseStatus.PROCESSING.code(), ""))
                .orElse("");
        SignsOfLife signs = new SignsOfLife(context, own);
        signs.every(Math.max(1, options.silence().toMillis() / 4));
        return signs;
    }

    private HttpResponse head(PeerRequest wanted) {
        HttpResponse head =
                head(HttpResponseStatus.PARTIAL_CONTENT, wanted.range().length());
        head.headers()
                .set(
                        HttpHeaderNames.CONTENT_RANGE,
                        "bytes " + wanted.range().offset() + "-"
                                + (wanted.range().end() - 1) + "/*");
        return head;
    }

    private HttpResponse head(HttpResponseStatus status, long length) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        head.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_OCTET_STREAM)
                .set(
                        HttpHeaderNames.CONTENT_LENGTH,
                        length + proof.map(AnswerProof::sealLength).orElse(0));
        prove(head);
        return head;
    }

    /** A complete answer in plain text. */
    static DefaultFullHttpResponse text(HttpResponseStatus status, String text) {
        return text(status, PLAIN_TEXT, text);
    }

    /** A complete answer in text of another content type. */
    static DefaultFullHttpResponse text(HttpResponseStatus status, String type, String text) {
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        return response;
    }

    /** Adds the turn of the next request, and the proof that the current request demands. */
    private void prove(HttpResponse head) {
        if (!turn.isEmpty()) {
            head.headers().set(RequestProof.TURN, turn);
        }
        proof.ifPresent(demanded -> head.headers()
                .set(AnswerProof.HEADER, demanded.header(head.status().code(), turn)));
    }

    /** Sends a complete answer. */
    void answer(ChannelHandlerContext context, DefaultFullHttpResponse response) {
        prove(response);
        context.writeAndFlush(response).addListener(written -> answered(context));
    }

    /**
     * Answers an invalid request and closes the connection, because a member does not send such
     * requests.
     */
    void refuse(ChannelHandlerContext context, HttpResponseStatus status, @Nullable String reason) {
        metrics.add(Counter.PEER_REFUSALS, 1);
        DefaultFullHttpResponse response = text(status, reason + "\n");
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        prove(response);
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    /** Passes on the failure of the store. */
    void fail(ChannelHandlerContext context, HttpResponseStatus status, @Nullable Throwable cause) {
        LOG.debug("Could not answer another instance.", cause);
        answer(context, text(status, "Cannot read this. Ask the store or the log.\n"));
    }
}
