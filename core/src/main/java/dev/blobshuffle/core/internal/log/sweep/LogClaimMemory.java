package dev.blobshuffle.core.internal.log.sweep;

import dev.blobshuffle.core.failure.LogFailure;
import dev.blobshuffle.core.internal.claim.ClaimMemory;
import dev.blobshuffle.core.internal.log.LogClaims;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory of claims in a log. Owned by one thread. */
final class LogClaimMemory implements ClaimMemory {
    private static final Logger LOG = LoggerFactory.getLogger(LogClaimMemory.class);

    private final LogClaims claims;
    private final PatientLog patient;

    LogClaimMemory(LogClaims claims, PatientLog patient) {
        this.claims = claims;
        this.patient = patient;
    }

    @Override
    public Set<String> known() throws InterruptedException {
        return patient.await(claims::known);
    }

    @Override
    public void remember(String id, long counter) throws InterruptedException {
        Void ignored = patient.await(() -> claims.remember(id, counter));
    }

    @Override
    public void forget(long before, Set<String> kept) throws InterruptedException {
        try {
            Void ignored = patient.await(() -> claims.forget(before, kept));
        } catch (LogFailure e) {
            LOG.debug("Old claims stay in the log until the next raise.", e);
        }
    }
}
