package dev.blobshuffle.core.internal.log.sweep;

import dev.blobshuffle.core.internal.claim.ClaimCell;
import dev.blobshuffle.core.internal.claim.ClaimSource;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.claim.ClaimWatch;
import dev.blobshuffle.core.internal.claim.Claimant;
import dev.blobshuffle.core.internal.log.CommitLog;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The claim of a log to its store. All instances of the log have one line, so they are siblings; a
 * copy of the log's database has the same line but another memory.
 *
 * @param log stays open
 * @param time its clocks and threads
 */
public record LogClaim(CommitLog log, Time time) implements ClaimSource {
    /** In place of a claims topic. */
    static final String TOPIC = "log";

    /**
     * Ids of this many raises stay in the log. Each instance raises when it starts and when it
     * deletes, and a deletion must still find its own.
     */
    private static final long KEPT = 1024;

    /**
     * Claims a store for a log, before the first blob and in the background, and checks it every
     * minute. Each instance that uses the store does so, also one that only reads. A store without
     * registers is returned as it is: nobody sweeps it.
     *
     * @param store closed with the store that is returned
     * @param log stays open until that one is closed
     * @return the store, whose puts wait for the claim
     */
    public static BlobStore claimed(BlobStore store, CommitLog log, Time time) {
        return ClaimWatch.claimed(store, new LogClaim(log, time), time);
    }

    /** The same with another time between two checks, for tests. */
    public static BlobStore claimed(BlobStore store, CommitLog log, Duration interval, Time time) {
        return ClaimWatch.claimed(store, new LogClaim(log, time), interval, time);
    }

    /** What the log has in place of a cluster's id. */
    String user() {
        return ClaimText.LOG + log.id();
    }

    @Override
    public Claimant claimant(ClaimCell cell, int fingerprint) {
        return claimant(cell, new StopSignal(time));
    }

    Claimant claimant(ClaimCell cell, StopSignal stopSignal) {
        LogClaimMemory memory = new LogClaimMemory(log.retention().claims(), new PatientLog(stopSignal));
        return new Claimant(
                cell, user(), topic -> memory, () -> Claimant.newId(time), Claimant.Pauses.growing(time), KEPT);
    }

    @Override
    public Set<String> lines() {
        return Set.of(TOPIC);
    }

    @Override
    public Optional<Set<String>> linesAfter(RuntimeException failure) {
        return Optional.empty();
    }
}
