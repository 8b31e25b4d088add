package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A page from another member. Thread-safe. */
final class PageAnswer implements PeerAnswer {
    private static final String REMEDY = ". The log is asked instead. Check the instance if this lasts.";

    private final Endpoint endpoint;
    private final String page;
    private final int maxBytes;
    private final CompletableFuture<ByteBuffer> result = new CompletableFuture<>();

    PageAnswer(Endpoint endpoint, String page, int maxBytes) {
        this.endpoint = endpoint;
        this.page = page;
        this.maxBytes = maxBytes;
    }

    CompletableFuture<ByteBuffer> result() {
        return result;
    }

    @Override
    public boolean accepts(long length) {
        return length > 0 && length <= maxBytes;
    }

    @Override
    public void arrived(byte[] bytes, int length) {
        result.complete(ByteBuffer.wrap(bytes, 0, length));
    }

    @Override
    public void fail(BlobShuffleException failure) {
        result.completeExceptionally(failure);
    }

    @Override
    public void unavailable(String reason) {
        fail(new StoreUnavailableException(attempt() + reason + REMEDY));
    }

    @Override
    public void refused(HttpResponseStatus status) {
        result.completeExceptionally(
                new PeerRefusedException(status.code(), attempt() + "it answered " + status + REMEDY));
    }

    private String attempt() {
        return "Cannot read page " + page + " from instance " + endpoint + ": ";
    }

    @Override
    public String toString() {
        return endpoint.toString();
    }
}
