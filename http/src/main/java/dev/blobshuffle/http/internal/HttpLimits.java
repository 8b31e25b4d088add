package dev.blobshuffle.http.internal;

import dev.blobshuffle.core.internal.store.bucket.Bucket;
import java.time.Duration;

/**
 * The number of connections, and the longest time that a request may hold a thread and a
 * connection. These limits end lost requests. Decorators of the store give up slow requests much
 * earlier.
 *
 * @param connections the most connections, all to one service; equal to the requests in flight, so
 *     no request waits for a connection
 * @param connect time to establish a connection
 * @param silence time without a byte on a connection; a store may be silent for seconds between the
 *     last byte of a large blob and its answer
 * @param request time for a whole request with both bodies; silence does not end a write, so
 *     without this limit a server that does not read would hold the writer and its buffers forever
 */
public record HttpLimits(int connections, Duration connect, Duration silence, Duration request) {
    /**
     * The limits for a {@link BucketBlobStore}: a connection for each of its requests, and some for
     * tokens.
     */
    public static final HttpLimits OF_A_BUCKET = new HttpLimits(
            Bucket.Limits.DEFAULT.all() + 4, Duration.ofSeconds(1), Duration.ofSeconds(15), Duration.ofSeconds(60));

    /** Checks that there are connections. A duration of zero means an immediate timeout. */
    public HttpLimits {
        if (connections < 1 || connect.isNegative() || silence.isNegative() || request.isNegative()) {
            throw new IllegalArgumentException("Cannot limit requests: " + connections + " connections, " + connect
                    + " to connect, " + silence + " of silence, " + request
                    + " for a request. Give at least one connection, and no negative time.");
        }
    }

    /** A copy with another limit for silence. */
    public HttpLimits withSilence(Duration silence) {
        return new HttpLimits(connections, connect, silence, request);
    }

    /** A copy with another limit for the whole request. */
    public HttpLimits withRequest(Duration request) {
        return new HttpLimits(connections, connect, silence, request);
    }
}
