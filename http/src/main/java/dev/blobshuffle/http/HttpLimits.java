package dev.blobshuffle.http;

import dev.blobshuffle.core.store.BucketBlobStore;
import java.time.Duration;

/**
 * How many connections there are, and how long requests may take before they no longer hold a thread and a connection. They end what is lost; what is slow is given up much earlier, by
 * decorators of the store.
 *
 * @param connections the most at once, all to one service: as many as requests under way, so that none waits for one
 * @param connect until a connection stands
 * @param silence without a byte on a connection; a store may be silent for seconds between the last byte of a large blob and its answer
 * @param request the whole of a request, with the bodies on both ways: silence ends no write, and a server that does not read would hold a writer and its buffers for ever
 */
public record HttpLimits(int connections, Duration connect, Duration silence, Duration request) {
    /** Of the client of a {@link BucketBlobStore}: a connection for each of its requests, and some for tokens. */
    public static final HttpLimits OF_A_BUCKET = new HttpLimits(
            BucketBlobStore.WRITERS + BucketBlobStore.READERS + BucketBlobStore.OTHERS + 4,
            Duration.ofSeconds(1),
            Duration.ofSeconds(15),
            Duration.ofSeconds(60));

    /** Checks that there are connections; a duration of zero ends at once. */
    public HttpLimits {
        if (connections < 1 || connect.isNegative() || silence.isNegative() || request.isNegative()) {
            throw new IllegalArgumentException("Cannot limit requests: " + connections + " connections, " + connect
                    + " to connect, " + silence + " of silence, " + request
                    + " for a request. Give at least one connection, and no negative time.");
        }
    }

    /** The same, but for the longest silence. */
    public HttpLimits withSilence(Duration silence) {
        return new HttpLimits(connections, connect, silence, request);
    }

    /** The same, but for the longest request. */
    public HttpLimits withRequest(Duration request) {
        return new HttpLimits(connections, connect, silence, request);
    }
}
