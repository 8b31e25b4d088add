package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.failure.BlobShuffleException;
import io.netty.handler.codec.http.HttpResponseStatus;

/** The outcome of a request to another member, reported once. Thread-safe. */
interface PeerAnswer {
    /** Whether an answer may have this number of bytes. */
    boolean accepts(long length);

    /** All bytes have arrived: the first {@code length} of an array that no other code uses. */
    void arrived(byte[] bytes, int length);

    /** The request fails for a reason on this side. */
    void fail(BlobShuffleException failure);

    /** The request fails because of the member. */
    void unavailable(String reason);

    /** The request fails because the member answered without bytes. */
    void refused(HttpResponseStatus status);
}
