package dev.blobshuffle.s3;

import java.time.Duration;

/**
 * How long requests may take before they no longer hold a thread and a connection. They end what is lost; what is slow is given up much earlier, by decorators.
 *
 * @param connect until a connection stands
 * @param silence without a byte on a connection; a store may be silent for seconds between the last byte of a large blob and its answer
 * @param call the whole of a call
 */
record S3Timeouts(Duration connect, Duration silence, Duration call) {
    static final S3Timeouts DEFAULT =
            new S3Timeouts(Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofSeconds(60));
}
