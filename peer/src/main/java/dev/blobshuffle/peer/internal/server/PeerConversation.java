package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.CachedFile;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.PrometheusText;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.message.PageRequest;
import dev.blobshuffle.peer.internal.message.PartHead;
import dev.blobshuffle.peer.internal.message.PeerRequest;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
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
    private final PeerAnswers answers;
    private boolean isBusy;

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
        answers = new PeerAnswers(options, metrics, this::next);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            answers.refuse(context, HttpResponseStatus.BAD_REQUEST, "Cannot read the request. Speak HTTP/1.1.");
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
            answers.refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
            return;
        }
        RequestCheck.Verdict verdict = admission.check().check(request);
        answers.begin(verdict);
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
            answers.answer(context, refusal.get());
            return;
        }
        Optional<CompletionStage<PartAnswer>> combining = bodies.take(answers.proof());
        if (combining.isEmpty()) {
            answers.refuse(context, HttpResponseStatus.BAD_REQUEST, "Cannot combine: the body was changed on the way.");
            return;
        }
        SignsOfLife signs = answers.signsOfLife(context);
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
            answers.answer(context, PartBodies.refusal(failure));
        } else {
            answers.send(context, answer);
        }
    }

    private void refuseStranger(ChannelHandlerContext context) {
        answers.refuse(
                context,
                HttpResponseStatus.UNAUTHORIZED,
                "Unauthorized. Give all instances the same peer.secret.file and version.");
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        if (HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) != 0) {
            answers.refuse(context, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "Cannot take a body. Send none.");
        } else if (!request.method().equals(HttpMethod.GET)) {
            answers.refuse(context, HttpResponseStatus.METHOD_NOT_ALLOWED, "Method not allowed. Read with GET.");
        } else if (request.uri().equals("/health")) {
            answers.answer(context, PeerAnswers.text(HttpResponseStatus.OK, "ok\n"));
        } else {
            RequestCheck.Verdict verdict = admission.check().check(request);
            answers.begin(verdict);
            switch (verdict.kind()) {
                case ADMITTED -> answerMember(context, request);
                case UNPROVEN -> refuseStranger(context);
                case WITHOUT_TURN -> answers.answer(context, outOfTurn());
                case REPLAYED -> {
                    metrics.add(Counter.PEER_REFUSALS, 1);
                    answers.answer(context, outOfTurn());
                }
            }
        }
    }

    private static DefaultFullHttpResponse outOfTurn() {
        return PeerAnswers.text(
                RequestCheck.OUT_OF_TURN, "Out of turn. Repeat the request once, with the turn of this answer.\n");
    }

    private void answerMember(ChannelHandlerContext context, HttpRequest request) {
        admission.earned();
        if (request.uri().equals("/metrics")) {
            String shown = PrometheusText.of(List.of(LabelledMetrics.alone(metrics)));
            answers.answer(context, PeerAnswers.text(HttpResponseStatus.OK, PrometheusText.CONTENT_TYPE, shown));
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
            answers.refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
            return;
        }
        if (wanted.store() != store.fingerprint()) {
            answers.refuse(
                    context, HttpResponseStatus.MISDIRECTED_REQUEST, "Cannot read: this instance reads another store.");
            return;
        }
        if (refusedFrom(wanted.zone(), context)) {
            return;
        }
        Optional<BlobBytes> held = store.held(wanted.id(), wanted.range());
        if (held.isPresent()) {
            answers.send(context, wanted, held.get());
            return;
        }
        Optional<CachedFile> file = store.file(wanted.id(), wanted.range());
        if (file.isPresent()) {
            answers.send(context, wanted, file.get());
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
            answers.refuse(
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
            answers.fail(context, HttpResponseStatus.NOT_FOUND, null); // A standalone cache, for example.
            return;
        }
        PageRequest wanted;
        PeerPages.Request question;
        try {
            wanted = PageRequest.read(request);
            question = shared.get().read(wanted.page());
        } catch (IllegalArgumentException e) {
            answers.refuse(context, HttpResponseStatus.BAD_REQUEST, e.getMessage());
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
                        answers.send(context, page);
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
        answers.fail(context, HttpResponseStatus.valueOf(status), cause);
    }

    /**
     * Reserves a place among the loads, and starts to send signs of life; null if no place is free.
     */
    private @Nullable SignsOfLife startLoading(ChannelHandlerContext context) {
        if (!loads.tryAcquire()) {
            metrics.add(Counter.PEER_REFUSALS, 1);
            answers.fail(context, HttpResponseStatus.SERVICE_UNAVAILABLE, null);
            return null;
        }
        return answers.signsOfLife(context);
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
            answers.send(context, wanted, bytes);
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BlobMissingException) {
            answers.fail(context, HttpResponseStatus.NOT_FOUND, cause);
        } else if (cause instanceof BlobCorruptException) {
            answers.fail(context, HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, cause);
        } else if (cause instanceof StoreThrottledException) {
            answers.fail(context, HttpResponseStatus.TOO_MANY_REQUESTS, cause);
        } else {
            answers.fail(context, HttpResponseStatus.BAD_GATEWAY, cause);
        }
    }

    private void next(ChannelHandlerContext context) {
        isBusy = false;
        admission.deadline().answered();
        context.channel().config().setAutoRead(true);
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
