package dev.blobshuffle.core.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a store tells about itself.
 *
 * @param clockAhead how far the service's clock is ahead of this machine's, from an answer's {@code Date}; negative: behind; empty: it does not say
 * @param findings what was found, the good and the bad, in the order in which people should read it; no credentials
 */
public record StoreInspection(Optional<Duration> clockAhead, List<StoreFinding> findings) {
    /** Copies the findings. */
    public StoreInspection {
        findings = List.copyOf(findings);
    }
}
