package dev.blobshuffle.s3;

import java.time.Duration;

/**
 * The longest time that a request may hold a thread and a connection. These timeouts end lost
 * requests. Decorators give up slow requests much earlier.
 *
 * @param connect time to establish a connection
 * @param silence time without a byte on a connection; a store may be silent for seconds between the
 *     last byte of a large blob and its answer
 * @param call time for a whole call
 */
record S3Timeouts(Duration connect, Duration silence, Duration call) {
    static final S3Timeouts DEFAULT =
            new S3Timeouts(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofSeconds(60));
}
