package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A range of a blob from another member. Thread-safe. */
final class BlobAnswer implements PeerAnswer {
    private final Endpoint endpoint;
    private final BlobId id;
    private final BlobRange range;
    private final CompletableFuture<BlobBytes> result = new CompletableFuture<>();

    BlobAnswer(Endpoint endpoint, BlobId id, BlobRange range) {
        this.endpoint = endpoint;
        this.id = id;
        this.range = range;
    }

    CompletableFuture<BlobBytes> result() {
        return result;
    }

    @Override
    public boolean accepts(long length) {
        return length == range.length();
    }

    @Override
    public void arrived(byte[] bytes, int length) {
        BlobBytes arrived = BlobBytes.of(ByteBuffer.wrap(bytes, 0, length));
        if (!result.complete(arrived)) {
            arrived.close(); // The caller has cancelled it.
        }
    }

    @Override
    public void fail(BlobShuffleException failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void unavailable(String reason) {
        fail(new StoreUnavailableException(
                attempt() + reason + ". The store is asked instead. Check the instance if this lasts."));
    }

    @Override
    public void refused(HttpResponseStatus status) {
        if (status.equals(HttpResponseStatus.NOT_FOUND)) {
            fail(new BlobMissingException(attempt() + "it did not find the blob. The store is asked instead."));
        } else if (status.equals(HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE)) {
            fail(new BlobCorruptException(attempt() + "it has fewer bytes. The store is asked instead."));
        } else if (status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)
                || status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
            fail(new StoreThrottledException(attempt() + "it is overloaded. The store is asked instead."));
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
