package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.log.SequencedBatch;
import dev.blobshuffle.core.internal.log.share.LogQuestion;
import dev.blobshuffle.core.internal.log.share.PageCodec;
import dev.blobshuffle.core.internal.log.share.PageRefused;
import dev.blobshuffle.core.internal.log.share.PageRefused.Reason;
import dev.blobshuffle.core.internal.log.share.SharedLog;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a log that a server sends. Encoded pages on their way to sockets share a byte
 * budget. Thread-safe.
 */
final class LogPageServing {
    private static final int BUDGET = 32 << 20;

    private final Semaphore budget = new Semaphore(BUDGET);
    private volatile @Nullable SharedLog log;

    /** Answers from a log from now on. */
    void answerFrom(SharedLog shared) {
        log = shared;
    }

    /** An encoded page. It holds a part of the budget until it is released, once. */
    record Encoded(byte[] bytes, Runnable release) {}

    /** Whether this member reads a log. */
    boolean hasLog() {
        return log != null;
    }

    /** The batches that a question asks for. */
    CompletionStage<List<SequencedBatch>> page(LogQuestion question) {
        SharedLog shared = log;
        return shared == null
                ? CompletableFuture.failedFuture(new PageRefused(Reason.OTHER_LOG))
                : shared.page(question);
    }

    /** Encodes a page; empty if the budget is in use. */
    Optional<Encoded> encode(LogQuestion question, List<SequencedBatch> batches) {
        int length = PageCodec.longest(question);
        if (!budget.tryAcquire(length)) {
            return Optional.empty();
        }
        byte[] bytes = PageCodec.encode(question.from(), batches);
        budget.release(length - bytes.length);
        return Optional.of(new Encoded(bytes, () -> budget.release(bytes.length)));
    }

    /** The status that reports why there is no page. */
    static HttpResponseStatus status(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof PageRefused refused)) {
            return HttpResponseStatus.BAD_GATEWAY;
        }
        return switch (refused.reason()) {
            case OTHER_LOG -> HttpResponseStatus.MISDIRECTED_REQUEST;
            case ELSEWHERE -> HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE;
            case OTHER_BATCH -> HttpResponseStatus.CONFLICT;
            case BUSY -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            case LOG_FAILED -> HttpResponseStatus.BAD_GATEWAY;
        };
    }
}
