package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.internal.claim.OwnerMemory;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.Member;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.owner.Step.Remember;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.failure.LogException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogClaims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A commit log as an owner in a store's register. There it is a cluster with one owner, and all
 * instances of the log are members of that owner. A copy of the log's database is the same cluster
 * with a separate memory.
 *
 * @param log stays open
 * @param stopSignal ends its waits
 */
public record LogOwner(CommitLog log, StopSignal stopSignal) implements OwnerSource {
    private static final Logger LOG = LoggerFactory.getLogger(LogOwner.class);

    /** The log's replacement for the name of a claims topic. */
    static final String TOPIC = "log";

    /** The prefix of a log's id in place of a cluster's id. */
    private static final String CLUSTER = "log-";

    /** The form of an owner's id in the table of claims. Raises have other ids. */
    private static final Pattern OWNER = Pattern.compile("0{26}([0-9a-f]{6})");

    /**
     * An empty promise: the database decides which blobs may still get a batch, so a sweep does not
     * rely on promises.
     */
    private static final Promise PROMISE = new Promise(Duration.ZERO, Optional.empty());

    /**
     * Watches a store for a log. Each instance that uses the store does so, including instances
     * that only read. A store without registers is returned unchanged: it is never swept.
     *
     * @param store closed with the returned store
     * @param log stays open until the returned store is closed
     * @return the store, whose puts wait for an owner
     */
    public static BlobStore watched(BlobStore store, CommitLog log, OwnerTiming timing, Time time) {
        return OwnerWatch.watched(store, new LogOwner(log, new StopSignal(time)), timing, time);
    }

    /** The log's replacement for a cluster's id. */
    String cluster() {
        return CLUSTER + log.id();
    }

    @Override
    public Seat seat(int fingerprint) {
        return new Seat(
                new Member(cluster(), TOPIC, PROMISE), new Table(log.retention().claims(), new PatientLog(stopSignal)));
    }

    /** The table of claims. */
    private record Table(LogClaims claims, PatientLog patient) implements OwnerMemory {
        @Override
        public ClaimsTopic read(String topic) throws InterruptedException {
            Set<String> raises = new HashSet<>();
            List<Integer> owners = new ArrayList<>();
            try {
                for (String id : patient.await(claims::known).stream().sorted().toList()) {
                    Matcher owner = OWNER.matcher(id);
                    if (owner.matches()) {
                        owners.add(Integer.parseInt(owner.group(1), 16));
                    } else {
                        raises.add(id);
                    }
                }
                return new ClaimsTopic.Known(raises, owners);
            } catch (LogException e) {
                return new ClaimsTopic.Unreadable("the log cannot be read: " + e.getMessage());
            }
        }

        @Override
        public Optional<String> remember(Remember what) throws InterruptedException {
            String id = what instanceof Remember.Raise raise
                    ? raise.id()
                    : "0".repeat(26) + BlobId.hex(((Remember.Owner) what).owner());
            long counter = what instanceof Remember.Raise raise ? raise.counter() : Long.MAX_VALUE;
            try {
                Void ignored = patient.await(() -> claims.remember(id, counter));
                return Optional.empty();
            } catch (LogException e) {
                return Optional.of("the log cannot be written: " + e.getMessage());
            }
        }

        @Override
        public void forget(long before, Set<String> kept) throws InterruptedException {
            try {
                Void ignored = patient.await(() -> claims.forget(before, kept));
            } catch (LogException e) {
                LOG.debug("Old claims stay in the log until the next raise.", e);
            }
        }
    }
}
