package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.CachedFile;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartAnswerCodec;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.zone.Zone;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.stream.ChunkedInput;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection from another member, which carries one request at a time. Bytes in memory and
 * files on disk are sent at once. Other bytes are requested from the store. Until they arrive, the
 * other side receives signs of life ({@code 102 Processing}). They distinguish a slow store from a
 * dead member. Owned by the connection's event loop.
 */
final class PeerConversation extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(PeerConversation.class);

    private final PeerOptions options;
    private final CachedBlobStore store;
    private final ShuffleMetrics metrics;
    private final Semaphore loads;
    private final PeerHandlers handlers;
    private final PeerServer.Admission admission;
    private final PartBodies bodies;
    private boolean isBusy;

    /** The proof that the answer to the current request needs. */
    private Optional<AnswerProof> proof = Optional.empty();

    /**
     * The turn of the next request, as stated in the answer to the current request; empty: not
     * stated.
     */
    private String turn = "";

    PeerConversation(
            PeerOptions options,
            CachedBlobStore store,
            ShuffleMetrics metrics,
            Semaphore loads,
            PeerHandlers handlers,
            PeerServer.Admission admission) {
        this.options = options;
        this.store = store;
        this.metrics = metrics;
        this.loads = loads;
        this.handlers = handlers;
        this.admission = admission;
        bodies = new PartBodies(options.zone(), store.fingerprint(), handlers);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, "Cannot read the request. Speak HTTP/1.1.");
        } else if (message instanceof HttpRequest request) {
            if (isBusy) {
                // Nothing is read before the answer is written, so this arrived in one piece with
                // the previous request.
                context.close();
                return;
            }
            isBusy = true;
            if (PartHead.isPart(request)) {
                receive(context, request);
            } else {
                arrived(context);
                answer(context, request);
            }
        } else if (message instanceof HttpContent content && bodies.isArriving()) {
            bodies.add(content.content());
            if (content instanceof LastHttpContent) {
                arrived(context);
                combine(context);
            }
        } else if (message instanceof HttpContent content && content.content().isReadable()) {
            context.close(); // A body. Requests with a body were refused.
        }
    }

    private void arrived(ChannelHandlerContext context) {
        admission.deadline().arrived();
        context.channel().config().setAutoRead(false);
    }

    /** Begins to receive a part. A proven request that is refused is received and discarded. */
    private void receive(ChannelHandlerContext context, HttpRequest request) {
        PartHead head;
        try {
            head = PartHead.read(request);
        } catch (IllegalArgumentException e) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
            return;
        }
        RequestCheck.Verdict verdict = admission.check().check(request);
        proof = verdict.proof();
        turn = verdict.turn();
        if (verdict.kind() == RequestCheck.Kind.UNPROVEN) {
            refuseStranger(context);
            return;
        }
        if (verdict.kind() == RequestCheck.Kind.REPLAYED) {
            metrics.add(Counter.PEER_REFUSALS, 1);
        }
        if (verdict.kind() == RequestCheck.Kind.ADMITTED) {
            admission.earned();
            bodies.receive(head, request.headers().get(RequestProof.BODY_PROOF, ""));
        } else {
            bodies.discard(outOfTurn());
        }
    }

    private void combine(ChannelHandlerContext context) {
        Optional<DefaultFullHttpResponse> refusal = bodies.refusal();
        if (refusal.isPresent()) {
            answer(context, refusal.get());
            return;
        }
        Optional<CompletionStage<PartAnswer>> combining = bodies.take(proof);
        if (combining.isEmpty()) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, "Cannot combine: the body was changed on the way.");
            return;
        }
        SignsOfLife signs = signsOfLife(context);
        combining.get().whenComplete((answer, failure) -> {
            try {
                context.executor().execute(() -> {
                    signs.end();
                    combined(context, answer, failure);
                });
            } catch (RuntimeException e) {
                LOG.debug("A part was combined after the event loop had shut down.", e);
            }
        });
    }

    private void combined(ChannelHandlerContext context, @Nullable PartAnswer answer, @Nullable Throwable failure) {
        if (answer == null) {
            answer(context, PartBodies.refusal(failure));
        } else if (context.channel().isActive()) {
            byte[] bytes = PartAnswerCodec.encode(answer);
            context.write(head(HttpResponseStatus.CREATED, bytes.length));
            context.write(sealed(new HeldBytes(ByteBuffer.wrap(bytes), () -> {})));
            sent(context, bytes.length);
        }
    }

    private void refuseStranger(ChannelHandlerContext context) {
        refuse(
                context,
                HttpResponseStatus.UNAUTHORIZED,
                "Unauthorized. Give all instances the same peer.secret.file and version.");
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        if (HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) != 0) {
            refuse(context, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "Cannot take a body. Send none.");
        } else if (!request.method().equals(HttpMethod.GET)) {
            refuse(context, HttpResponseStatus.METHOD_NOT_ALLOWED, "Method not allowed. Read with GET.");
        } else if (request.uri().equals("/health")) {
            answer(context, text(HttpResponseStatus.OK, "text/plain; charset=utf-8", "ok\n"));
        } else {
            RequestCheck.Verdict verdict = admission.check().check(request);
            proof = verdict.proof();
            turn = verdict.turn();
            switch (verdict.kind()) {
                case ADMITTED -> answerMember(context, request);
                case UNPROVEN -> refuseStranger(context);
                case WITHOUT_TURN -> answer(context, outOfTurn());
                case REPLAYED -> {
                    metrics.add(Counter.PEER_REFUSALS, 1);
                    answer(context, outOfTurn());
                }
            }
        }
    }

    private static DefaultFullHttpResponse outOfTurn() {
        return text(
                RequestCheck.OUT_OF_TURN,
                "text/plain; charset=utf-8",
                "Out of turn. Repeat the request once, with the turn of this answer.\n");
    }

    private void answerMember(ChannelHandlerContext context, HttpRequest request) {
        admission.earned();
        if (request.uri().equals("/metrics")) {
            String shown = PrometheusText.of(List.of(LabelledMetrics.alone(metrics)));
            answer(context, text(HttpResponseStatus.OK, PrometheusText.CONTENT_TYPE, shown));
        } else if (request.uri().startsWith(PageRequest.PATH)) {
            answerPage(context, request);
        } else {
            answerBlob(context, request);
        }
    }

    private void answerBlob(ChannelHandlerContext context, HttpRequest request) {
        PeerRequest wanted;
        try {
            wanted = PeerRequest.read(request);
        } catch (IllegalArgumentException e) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
            return;
        }
        if (wanted.store() != store.fingerprint()) {
            refuse(context, HttpResponseStatus.MISDIRECTED_REQUEST, "Cannot read: this instance reads another store.");
            return;
        }
        if (refusedFrom(wanted.zone(), context)) {
            return;
        }
        Optional<BlobBytes> held = store.held(wanted.id(), wanted.range());
        if (held.isPresent()) {
            send(context, wanted, held.get());
            return;
        }
        Optional<CachedFile> file = store.file(wanted.id(), wanted.range());
        if (file.isPresent()) {
            send(context, wanted, file.get());
        } else {
            load(context, wanted);
        }
    }

    /**
     * Refuses a request from another zone. It means that a member announces a wrong zone or
     * address. Bytes that are free within the requester's own zone would cost cross-zone traffic
     * here.
     */
    private boolean refusedFrom(Optional<Zone> asker, ChannelHandlerContext context) {
        boolean isOther = asker.filter(zone -> !zone.equals(options.zone())).isPresent();
        if (isOther) {
            refuse(
                    context,
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Cannot read: this instance is in zone " + options.zone().name()
                            + ". Give every instance its own zone and peer.advertised.");
        }
        return isOther;
    }

    private void answerPage(ChannelHandlerContext context, HttpRequest request) {
        Optional<PeerPages> shared = handlers.pages().get();
        if (shared.isEmpty()) {
            fail(context, HttpResponseStatus.NOT_FOUND, null); // A standalone cache, for example.
            return;
        }
        PageRequest wanted;
        PeerPages.Request question;
        try {
            wanted = PageRequest.read(request);
            question = shared.get().read(wanted.page());
        } catch (IllegalArgumentException e) {
            refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
            return;
        }
        if (refusedFrom(wanted.zone(), context)) {
            return;
        }
        SignsOfLife signs = startLoading(context);
        if (signs == null) {
            return;
        }
        question.page(context.executor()).whenComplete((page, failure) -> {
            loads.release();
            try {
                context.executor().execute(() -> {
                    signs.end();
                    if (page == null) {
                        failPage(context, failure);
                    } else {
                        send(context, page);
                    }
                });
            } catch (RuntimeException e) { // The event loop has shut down.
                if (page != null) {
                    page.release().run();
                }
            }
        });
    }

    private void failPage(ChannelHandlerContext context, @Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        int status = cause instanceof PeerRefusedException refused
                ? refused.status()
                : HttpResponseStatus.BAD_GATEWAY.code();
        if (status == PeerRefusedException.BUSY) {
            metrics.add(Counter.PEER_REFUSALS, 1);
        }
        fail(context, HttpResponseStatus.valueOf(status), cause);
    }

    private void send(ChannelHandlerContext context, PeerPages.Page page) {
        if (!context.channel().isActive()) {
            page.release().run();
            return;
        }
        byte[] bytes = page.bytes();
        context.write(head(bytes.length));
        context.write(sealed(new HeldBytes(ByteBuffer.wrap(bytes), page.release())));
        sent(context, bytes.length);
    }

    /**
     * Reserves a place among the loads, and starts to send signs of life; null if no place is free.
     */
    private @Nullable SignsOfLife startLoading(ChannelHandlerContext context) {
        if (!loads.tryAcquire()) {
            metrics.add(Counter.PEER_REFUSALS, 1);
            fail(context, HttpResponseStatus.SERVICE_UNAVAILABLE, null);
            return null;
        }
        return signsOfLife(context);
    }

    private SignsOfLife signsOfLife(ChannelHandlerContext context) {
        String own = proof.map(demanded -> demanded.header(HttpResponseStatus.PROCESSING.code(), ""))
                .orElse("");
        SignsOfLife signs = new SignsOfLife(context, own);
        signs.every(Math.max(1, options.silence().toMillis() / 4));
        return signs;
    }

    private void load(ChannelHandlerContext context, PeerRequest wanted) {
        SignsOfLife signs = startLoading(context);
        if (signs == null) {
            return;
        }
        store.get(wanted.id(), wanted.range()).whenComplete((bytes, failure) -> {
            loads.release();
            try {
                context.executor().execute(() -> {
                    signs.end();
                    loaded(context, wanted, bytes, failure);
                });
            } catch (RuntimeException e) { // The event loop has shut down.
                if (bytes != null) {
                    bytes.close();
                }
            }
        });
    }

    private void loaded(
            ChannelHandlerContext context, PeerRequest wanted, @Nullable BlobBytes bytes, @Nullable Throwable failure) {
        if (bytes != null) {
            send(context, wanted, bytes);
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BlobMissingException) {
            fail(context, HttpResponseStatus.NOT_FOUND, cause);
        } else if (cause instanceof BlobCorruptException) {
            fail(context, HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, cause);
        } else if (cause instanceof StoreThrottledException) {
            fail(context, HttpResponseStatus.TOO_MANY_REQUESTS, cause);
        } else {
            fail(context, HttpResponseStatus.BAD_GATEWAY, cause);
        }
    }

    private void send(ChannelHandlerContext context, PeerRequest wanted, BlobBytes bytes) {
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

    private void send(ChannelHandlerContext context, PeerRequest wanted, CachedFile file) {
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
                next(context);
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

    private void next(ChannelHandlerContext context) {
        isBusy = false;
        proof = Optional.empty();
        turn = "";
        admission.deadline().answered();
        context.channel().config().setAutoRead(true);
    }

    private HttpResponse head(PeerRequest wanted) {
        HttpResponse head = head(wanted.range().length());
        head.headers()
                .set(
                        HttpHeaderNames.CONTENT_RANGE,
                        "bytes " + wanted.range().offset() + "-"
                                + (wanted.range().end() - 1) + "/*");
        return head;
    }

    private HttpResponse head(long length) {
        return head(HttpResponseStatus.PARTIAL_CONTENT, length);
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

    private void answer(ChannelHandlerContext context, DefaultFullHttpResponse response) {
        prove(response);
        context.writeAndFlush(response).addListener(written -> next(context));
    }

    /**
     * Answers an invalid request and closes the connection, because a member does not send such
     * requests.
     */
    private void refuse(ChannelHandlerContext context, HttpResponseStatus status, @Nullable String reason) {
        metrics.add(Counter.PEER_REFUSALS, 1);
        DefaultFullHttpResponse response = text(status, "text/plain; charset=utf-8", reason + "\n");
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        prove(response);
        context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    /** Passes on the failure of the store. */
    private void fail(ChannelHandlerContext context, HttpResponseStatus status, @Nullable Throwable cause) {
        LOG.debug("Could not answer another instance.", cause);
        answer(context, text(status, "text/plain; charset=utf-8", "Cannot read this. Ask the store or the log.\n"));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        bodies.abandon();
        context.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof IdleStateEvent) {
            context.close();
        } else {
            super.userEventTriggered(context, event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connection of another instance failed.", cause);
        context.close();
    }
}
