package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The plan of a check of a bucket.
 *
 * @param requests puts, and as many gets, of each size to time
 * @param timeout how long each answer to a check may take
 * @param prices of the requests; empty: unknown
 * @param profile the file for the latency profile; empty: none
 */
public record CloudCheckPlan(int requests, Duration timeout, Optional<PriceTable> prices, Optional<Path> profile) {
    private static final int LEAST_REQUESTS = 20;

    /** Checks the numbers. */
    public CloudCheckPlan {
        if (requests < LEAST_REQUESTS || timeout.toMillis() < 1000) {
            throw new InvalidSettingsException("Cannot check a bucket: --requests must be " + LEAST_REQUESTS
                    + " or more, and --timeout 1s or more.");
        }
    }
}
