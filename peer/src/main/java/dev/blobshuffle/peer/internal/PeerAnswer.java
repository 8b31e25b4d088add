package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreThrottled;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.CompletableFuture;

/** A request to another member, and its outcome. Thread-safe. */
final class PeerAnswer {
    private final Endpoint endpoint;
    private final BlobId id;
    private final BlobRange range;
    private final CompletableFuture<BlobBytes> result = new CompletableFuture<>();

    PeerAnswer(Endpoint endpoint, BlobId id, BlobRange range) {
        this.endpoint = endpoint;
        this.id = id;
        this.range = range;
    }

    CompletableFuture<BlobBytes> result() {
        return result;
    }

    /** The expected number of bytes. */
    int length() {
        return Math.toIntExact(range.length());
    }

    void complete(BlobBytes bytes) {
        if (!result.complete(bytes)) {
            bytes.close(); // Cancelled by its caller.
        }
    }

    void fail(BlobShuffleException failure) {
        result.completeExceptionally(failure);
    }

    /** Fails the read because of the member. */
    void unavailable(String reason) {
        fail(new StoreUnavailable(
                attempt() + reason + ". The store is asked instead. Check the instance if this lasts."));
    }

    /** Fails the read because the member answered without bytes. */
    void refused(HttpResponseStatus status) {
        if (status.equals(HttpResponseStatus.NOT_FOUND)) {
            fail(new BlobMissing(attempt() + "it did not find the blob. The store is asked instead."));
        } else if (status.equals(HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE)) {
            fail(new BlobCorrupt(attempt() + "it has fewer bytes. The store is asked instead."));
        } else if (status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)
                || status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
            fail(new StoreThrottled(attempt() + "it is overloaded. The store is asked instead."));
        } else {
            unavailable("it answered " + status);
        }
    }

    private String attempt() {
        return "Cannot read blob " + id + " from instance " + endpoint + ": ";
    }

    @Override
    public String toString() {
        return endpoint.toString();
    }
}
