package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.LogUnavailable;
import dev.blobshuffle.core.internal.log.SequencedBatch;
import dev.blobshuffle.core.internal.log.share.LogQuestion;
import dev.blobshuffle.core.internal.log.share.PageCodec;
import dev.blobshuffle.core.internal.log.share.PageRefused;
import dev.blobshuffle.core.internal.log.share.PageRefused.Reason;
import dev.blobshuffle.core.internal.membership.Endpoint;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A page of a log from another member. Thread-safe. */
final class PageAnswer implements PeerAnswer {
    private final Endpoint endpoint;
    private final LogQuestion question;
    private final CompletableFuture<List<SequencedBatch>> result = new CompletableFuture<>();

    PageAnswer(Endpoint endpoint, LogQuestion question) {
        this.endpoint = endpoint;
        this.question = question;
    }

    CompletableFuture<List<SequencedBatch>> result() {
        return result;
    }

    @Override
    public boolean accepts(long length) {
        return length > 0 && length <= PageCodec.longest(question);
    }

    @Override
    public void arrived(byte[] bytes, int length) {
        try {
            result.complete(PageCodec.decode(bytes, length));
        } catch (BlobCorrupt e) {
            result.completeExceptionally(e);
        }
    }

    @Override
    public void fail(BlobShuffleException failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void unavailable(String reason) {
        fail(new LogUnavailable("Cannot read topic " + question.topic() + " from instance " + endpoint + ": " + reason
                + ". The log is asked instead. Check the instance if this lasts."));
    }

    @Override
    public void refused(HttpResponseStatus status) {
        if (status.equals(HttpResponseStatus.CONFLICT)) {
            result.completeExceptionally(new PageRefused(Reason.OTHER_BATCH));
        } else if (status.equals(HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE)) {
            result.completeExceptionally(new PageRefused(Reason.ELSEWHERE));
        } else if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
            result.completeExceptionally(new PageRefused(Reason.BUSY));
        } else {
            unavailable("it answered " + status);
        }
    }

    @Override
    public String toString() {
        return endpoint.toString();
    }
}
