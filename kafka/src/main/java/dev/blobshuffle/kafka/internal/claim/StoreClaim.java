package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreAbsent;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.claim.Claimant.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance's claim to its store: made before its first blob, and checked every minute. It works
 * in the background, so that an instance starts without brokers; until the claim is made, puts
 * wait, and fail as an unavailable store does. Thread-safe; the work is on one thread.
 */
public final class StoreClaim implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreClaim.class);
    /** How often each instance looks for strangers. */
    public static final Duration CHECK = Duration.ofMinutes(1);

    private static final Duration FIRST_RETRY = Duration.ofMillis(500);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

    private final ClaimIdentity identity;
    private final Time time;
    private final Time.Workers worker;
    private final Duration interval;
    private volatile boolean isMade;
    private volatile boolean isClosed;
    private volatile CompletableFuture<Boolean> attempt = new CompletableFuture<>();

    /** Set when the store is open; owned by the worker, as what follows. */
    private @Nullable StoreCell cell;

    private int fingerprint;
    private String location = "";
    private @Nullable Claimant claimant;
    private Set<String> topics = Set.of();
    private Duration pause = FIRST_RETRY;
    private boolean isWarned;
    private boolean isContested;

    private StoreClaim(ClaimIdentity identity, Duration interval, Time time) {
        this.identity = identity;
        this.interval = interval;
        this.time = time;
        worker = time.workers("blobshuffle-claim", 1);
    }

    /**
     * Opens an application's store, and claims it in the background. Closing the store ends the
     * claim. A store that is not there is made only if Kafka does not remember that the application
     * has used one.
     *
     * @throws StoreAbsent fatal: the store is not there, and the application has had one
     */
    public static BlobStore open(String uri, StoreContext context, ClaimIdentity identity) {
        return open(uri, context, identity, CHECK);
    }

    static BlobStore open(String uri, StoreContext context, ClaimIdentity identity, Duration interval) {
        BlobStore store = openOrMake(uri, context, identity);
        Optional<Registers> registers = store.registers();
        if (registers.isEmpty()) {
            return store; // It is never swept.
        }
        StoreClaim claim = new StoreClaim(identity, interval, context.time());
        claim.cell = new StoreCell(store, registers.get());
        claim.fingerprint = store.fingerprint();
        claim.location = store.location();
        claim.workLater(Duration.ZERO);
        return new ClaimedBlobStore(store, claim);
    }

    private static BlobStore openOrMake(String uri, StoreContext context, ClaimIdentity identity) {
        return openOrMake(
                () -> BlobStores.open(uri, context.existing()),
                () -> BlobStores.open(uri, context),
                absent -> remembers(identity, absent, context.time()),
                identity);
    }

    /**
     * Opens a store, or makes one that the application has never had. An instance writes to Kafka
     * after its store is there. So if Kafka remembers a store that was absent a moment ago, another
     * instance may have just made it, and this one looks again.
     */
    static BlobStore openOrMake(
            Supplier<BlobStore> existing,
            Supplier<BlobStore> made,
            Predicate<StoreAbsent> remembers,
            ClaimIdentity identity) {
        try {
            return existing.get();
        } catch (StoreAbsent absent) {
            if (!remembers.test(absent)) {
                return made.get();
            }
        }
        try {
            return existing.get();
        } catch (StoreAbsent absent) {
            throw new StoreAbsent(absent.getMessage() + " Application '" + identity.application()
                    + "' has used a store before (Kafka topic " + identity.topic()
                    + "), so this instance does not make another one.");
        }
    }

    private static boolean remembers(ClaimIdentity identity, StoreAbsent absent, Time time) {
        try {
            return new ClaimTopic(identity.topic(), identity, 0, time).remembersApplication();
        } catch (KafkaException | IllegalStateException e) {
            StoreAbsent failure = new StoreAbsent(absent.getMessage()
                    + " Whether application '" + identity.application()
                    + "' has used a store before is unknown, because Kafka topic " + identity.topic()
                    + " cannot be read: " + e.getMessage());
            failure.addSuppressed(e);
            throw failure;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("Cannot open a store: the thread was interrupted. Start again.", e);
        }
    }

    /** Whether blobs may be stored. */
    boolean isMade() {
        return isMade;
    }

    /**
     * The attempt under way: completes when the claim is made, and fails with
     * {@link StoreUnavailable}.
     */
    CompletionStage<Boolean> attempt() {
        return attempt;
    }

    private void workLater(Duration delay) {
        try {
            if (delay.isZero()) {
                worker.execute(this::work);
            } else {
                time.schedule(delay, () -> workLater(Duration.ZERO));
            }
        } catch (Closed e) {
            LOG.trace("The instance has ended.", e);
        }
    }

    private void work() {
        if (isClosed) {
            return;
        }
        Duration next = interval;
        try {
            if (isMade) {
                tell(known().check(topics));
            } else {
                tell(raise());
                isMade = true;
                attempt.complete(true);
            }
            isWarned = false;
            pause = FIRST_RETRY;
        } catch (RuntimeException e) { // Whatever it is: without this thread nobody looks any more.
            next = failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        workLater(next);
    }

    private Claimant known() throws InterruptedException {
        Claimant present = claimant;
        StoreCell register = cell;
        if (present == null && register != null) {
            present = new Claimant(
                    register,
                    ClaimTopic.cluster(identity.client()),
                    topic -> new ClaimTopic(topic, identity, fingerprint, time),
                    () -> SweepClaim.newId(time),
                    SweepClaim.pauses(time),
                    Claimant.KEPT);
            claimant = present;
        }
        if (present == null) {
            throw new IllegalStateException("Cannot claim a store before it is open.");
        }
        return present;
    }

    private Verdict raise() throws InterruptedException {
        topics = Set.of(identity.topic());
        try {
            return known().raise(topics);
        } catch (KafkaException e) {
            if (!ClaimTopic.isDenied(e)) {
                throw e;
            }
            LOG.warn(
                    "Application '{}' may not use Kafka topic {}: {}. It works, but nothing deletes its blobs."
                            + " Grant its principal Create, Describe, Read and Write on the topic, and restart.",
                    identity.application(),
                    identity.topic(),
                    e.getMessage());
            topics = Set.of(ClaimText.NO_TOPIC);
            return known().raise(topics);
        }
    }

    private void tell(Verdict verdict) {
        if (!verdict.isOwn() && !isContested) {
            LOG.warn(
                    "Nobody may delete blobs from {}: {}. Applications go on, and blobs pile up. Give each cluster a"
                            + " store (prefix) of its own; docs/operations.md, \"When a sweep stops\", says how to go on.",
                    location,
                    verdict.contest().orElse(""));
        }
        isContested = !verdict.isOwn();
    }

    private Duration failed(RuntimeException e) {
        if (!isClosed && !isWarned) {
            isWarned = true;
            LOG.warn(
                    "The claim to {} cannot be {}: {} Trying again.",
                    location,
                    isMade ? "checked" : "made",
                    e.getMessage(),
                    e);
        }
        if (!isMade) {
            CompletableFuture<Boolean> failing = attempt;
            attempt = new CompletableFuture<>();
            failing.completeExceptionally(
                    e instanceof InvalidSettings
                            ? e
                            : new StoreUnavailable(
                                    "Cannot store a blob in " + location + ": the claim to the store is not made yet: "
                                            + e.getMessage(),
                                    e));
        }
        Duration now = pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_RETRY) < 0 ? pause.multipliedBy(2) : LONGEST_RETRY;
        return now;
    }

    /** Stops checking. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        worker.close();
        attempt.completeExceptionally(new Closed("Cannot store a blob in " + location + ": the store is closed."));
    }
}
