package dev.blobshuffle.core.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The report of a store about itself.
 *
 * @param clockAhead how far the service's clock is ahead of this machine's, from an answer's
 *     {@code Date}; negative: behind; empty: unknown
 * @param findings the findings, good and bad, in reading order; no credentials
 */
public record StoreInspection(Optional<Duration> clockAhead, List<StoreFinding> findings) {
    /** Copies the findings. */
    public StoreInspection {
        findings = List.copyOf(findings);
    }
}
