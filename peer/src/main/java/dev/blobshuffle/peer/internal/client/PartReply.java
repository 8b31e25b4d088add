package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartAnswerCodec;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The answer of a hub to a part. Thread-safe. */
final class PartReply implements PeerAnswer {
    /** The longest footer of a blob, which has more of each segment. */
    private static final int MOST_BYTES = 16 << 20;

    /** No hub there, or a member of an earlier version, which refuses every body. */
    private static final Set<HttpResponseStatus> NO_HUB = Set.of(
            HttpResponseStatus.NOT_FOUND,
            HttpResponseStatus.METHOD_NOT_ALLOWED,
            HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);

    private static final Set<HttpResponseStatus> FOREIGN =
            Set.of(HttpResponseStatus.CONFLICT, HttpResponseStatus.MISDIRECTED_REQUEST);

    private static final Set<HttpResponseStatus> UNUSABLE =
            Set.of(HttpResponseStatus.BAD_REQUEST, HttpResponseStatus.UNPROCESSABLE_ENTITY);

    private final Endpoint endpoint;
    private final BlobId id;
    private final CompletableFuture<PartAnswer> result = new CompletableFuture<>();

    PartReply(Endpoint endpoint, BlobId id) {
        this.endpoint = endpoint;
        this.id = id;
    }

    CompletableFuture<PartAnswer> result() {
        return result;
    }

    @Override
    public boolean accepts(long length) {
        return length > 0 && length <= MOST_BYTES;
    }

    @Override
    public void arrived(byte[] bytes, int length) {
        try {
            result.complete(PartAnswerCodec.decode(bytes, length));
        } catch (BlobCorruptException e) {
            result.completeExceptionally(e);
        }
    }

    @Override
    public void fail(BlobShuffleException failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void unavailable(String reason) {
        fail(new StoreUnavailableException(
                attempt() + reason + ". It is stored by itself. Check the hub if this lasts."));
    }

    @Override
    public void refused(HttpResponseStatus status) {
        if (NO_HUB.contains(status)) {
            refuse(Reason.NO_HUB, status);
        } else if (FOREIGN.contains(status)) {
            refuse(Reason.FOREIGN, status);
        } else if (UNUSABLE.contains(status)) {
            refuse(Reason.UNUSABLE, status);
        } else if (status.equals(HttpResponseStatus.UNAUTHORIZED) || status.equals(RequestCheck.OUT_OF_TURN)) {
            unavailable("it answered " + status);
        } else {
            refuse(Reason.BUSY, status);
        }
    }

    private void refuse(Reason reason, HttpResponseStatus status) {
        fail(new PartRefusedException(reason, attempt() + "it answered " + status + ". The part is stored by itself."));
    }

    private String attempt() {
        return "Cannot hand blob " + id + " to " + endpoint + ": ";
    }

    @Override
    public String toString() {
        return endpoint.toString();
    }
}
