package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the unneeded blobs of the application's owner in the background. One instance has the
 * turn ({@link SweepTurn}). It lists the owner's blobs. Later it sets tombstones on the unneeded
 * ones ({@link Sweep}), and later still it deletes them. The right to each step, and the time
 * between steps, come from the owner's promise in the store's register ({@link OwnerSweepRight}).
 * An instance that gets the turn starts with a new listing and takes over no state.
 *
 * <p>The sweeper uses its own thread, store client and broker clients, so that it takes no
 * resources from the shuffle. A failure affects nothing else: the sweeper logs it once and tries
 * again. Thread-safe; the work runs on one thread.
 */
public final class Sweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    private static final Duration LEAVE = Duration.ofSeconds(3);

    private final Optional<SweepTiming> timing;
    private final BlobLifetime lifetime;
    private final Supplier<BlobStore> stores;
    private final SweepSource source;
    private final OwnerTiming owners;
    private final SweepScope scope;
    private final Time time;
    private final SweepFigures figures;
    private final RequestMeter meter;
    private final StopSignal stopSignal;
    private final Time.Workers worker;
    private final Running running;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    /** Owned by the timer's thread. */
    private boolean wasOurs;

    /** Created with the first sweep. Owned by the worker, like the fields below. */
    private @Nullable SweepRight right;

    /** The listing of the current sweep. */
    private @Nullable BlobListing listing;

    /** The terms of the logs, read before that listing. */
    private Map<Partition, NotificationLogs.Term> terms = Map.of();

    /** The findings of the step that set the tombstones. */
    private SweepReport found = SweepReport.NOTHING;

    /** The time at which the next step is due; monotonic, in nanoseconds. */
    private long due;

    private Optional<BlobId> resumeAfter = Optional.empty();
    private boolean isStarted;
    private boolean isWarned;

    /**
     * A sweeper that has not started.
     *
     * @param timing the timing of its sweeps; empty: never
     * @param lifetime how long blobs are kept
     * @param stores opens the store for each sweep, which closes it again
     * @param source the application's logs and claims
     * @param metrics the engine's
     * @param time its clocks and threads; closed after the sweeper
     */
    public Sweeper(
            Optional<SweepTiming> timing,
            BlobLifetime lifetime,
            Supplier<BlobStore> stores,
            SweepSource source,
            ShuffleMetrics metrics,
            Time time) {
        this.timing = timing;
        this.lifetime = lifetime;
        this.stores = stores;
        this.source = source;
        this.owners = timing.orElse(SweepTiming.USUAL).owners();
        this.scope = SweepScope.of(source::covers);
        this.time = time;
        this.figures = new SweepFigures(metrics, time);
        this.meter = MeteredBlobStore.meter(metrics);
        this.stopSignal = new StopSignal(time);
        this.worker = time.workers("blobshuffle-sweeper", 1);
        this.running = new Running(time);
    }

    /**
     * A sweeper with the options of the settings, which has not started.
     *
     * @param source the application's logs and claims
     * @param metrics the engine's metrics
     * @param time its clocks and threads; closed after the sweeper
     */
    public static Sweeper of(Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        return of(
                settings.value(RetentionSettings.SWEEP_INTERVAL).map(interval -> SweepTiming.USUAL),
                BlobLifetime.of(settings),
                settings,
                source,
                metrics,
                time);
    }

    /**
     * The same sweeper with shorter times than the settings allow. For tests, which know how long
     * their blobs lack notifications, and that no reader misses them.
     */
    public static Sweeper of(
            Optional<SweepTiming> timing,
            BlobLifetime lifetime,
            Settings settings,
            SweepSource source,
            ShuffleMetrics metrics,
            Time time) {
        StoreContext context = new StoreContext(time, MeteredBlobStore.meter(metrics)).existing();
        return new Sweeper(
                timing,
                lifetime,
                () -> BlobStores.openUnchecked(StoreSettings.uri(settings), context),
                source,
                metrics,
                time);
    }

    /**
     * Wraps the membership and starts the sweeper. The wrapper sees what the consumers of this
     * instance read, and so whether the instance has the turn.
     *
     * @param membership stays open; its owner closes it
     */
    public Membership watch(Membership membership) {
        SweepTurn watched = new SweepTurn(membership);
        timing.ifPresent(when -> {
            figures.follow(watched::isOurs);
            lookLater(when, watched);
        });
        return watched;
    }

    private void lookLater(SweepTiming when, SweepTurn turn) {
        try {
            time.schedule(when.look(), () -> look(when, turn));
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        }
    }

    /** Runs on the timer's thread. */
    private void look(SweepTiming when, SweepTurn turn) {
        boolean isOurs = turn.isOurs();
        if (!isClosed.get() && (isOurs || wasOurs) && running.begin()) {
            wasOurs = isOurs;
            try {
                worker.execute(() -> work(turn));
            } catch (ClosedException e) {
                running.end(); // The application ends.
            }
        }
        if (!isClosed.get()) {
            lookLater(when, turn);
        }
    }

    private void work(SweepTurn turn) {
        try {
            Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
            boolean isEarly = isStarted && time.nanos() - due < 0;
            if (!turn.isOurs()) {
                forget();
            } else if (!isEarly) {
                sweep();
                isWarned = false;
            }
        } catch (ClosedException e) {
            LOG.debug("The sweep ends with the application.", e);
        } catch (RuntimeException e) { // Catch any exception, because the application must continue.
            failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.end();
        }
    }

    private void forget() {
        listing = null;
        right = null;
        isStarted = false;
        resumeAfter = Optional.empty();
        figures.forget();
    }

    private SweepRight right() {
        SweepRight present = right;
        if (present == null) {
            present = source.right(owners, time);
            right = present;
        }
        return present;
    }

    /** Returns how long to wait. */
    private Duration startOver() {
        listing = null;
        return right().over();
    }

    private void later(Duration wait) {
        due = time.nanos() + wait.toNanos();
        isStarted = true;
    }

    private void failed(RuntimeException e) {
        if (isClosed.get()) {
            return;
        }
        later(startOver());
        figures.failed();
        if (isWarned) {
            LOG.debug("Unneeded blobs could not be deleted.", e);
        } else {
            isWarned = true;
            LOG.warn("Unneeded blobs were not deleted: {} The next sweep tries again.", e.getMessage(), e);
        }
    }

    private void sweep() throws InterruptedException {
        try (BlobStore store = stores.get()) {
            if (store.registers().isEmpty()) {
                LOG.debug("{} is not swept: it cannot compare and set.", store.location());
                later(right().over());
                return;
            }
            right().use(store);
            requireAgreement(right().clock().differenceFromOwn(), store);
            Sweep sweep = new Sweep(store, scope, SweepPace.BESIDE_AN_APPLICATION, stopSignal, meter);
            while (step(sweep, store)) { // A listing may follow a deletion at once.
                LOG.trace("A sweep has ended.");
            }
        }
    }

    /** Takes the allowed step, and returns whether another one may follow at once. */
    private boolean step(Sweep sweep, BlobStore store) throws InterruptedException {
        SweepRight.Leave leave = right().next();
        BlobListing listed = listing;
        if (leave.stage() == SweepRight.Stage.LIST) {
            list(sweep, leave, store);
        } else if (leave.stage() == SweepRight.Stage.DECIDE && listed != null) {
            found = decide(sweep, leave, listed, store);
            later(right().decided());
        } else if (leave.stage() == SweepRight.Stage.DELETE && listed != null) {
            delete(sweep, leave, listed, store);
            return true;
        } else if (leave.stage() != SweepRight.Stage.WAIT) {
            later(startOver());
            leave.reason().ifPresent(reason -> {
                throw notSwept(
                        store,
                        reason + ". Nothing is deleted; docs/operations.md, \"Who may delete what, and when\","
                                + " describes how to continue.");
            });
        }
        return false;
    }

    private void list(Sweep sweep, SweepRight.Leave leave, BlobStore store) throws InterruptedException {
        terms = horizon(leave).isPresent() ? Map.of() : terms();
        StoreClock clock = right().clock();
        BlobListing next = sweep.list(leave.owner(), resumeAfter, lifetime(leave), clock);
        requireAgreement(next.newestGeneration().flatMap(clock::differenceFrom), store);
        listing = next;
        later(right().listed());
    }

    private void delete(Sweep sweep, SweepRight.Leave leave, BlobListing condemned, BlobStore store)
            throws InterruptedException {
        Optional<Horizon> horizon = horizon(leave);
        try (NotificationLogs logs =
                horizon.isPresent() ? new HorizonCheck(horizon.get(), right().clock(), condemned) : source.logs(time)) {
            sweep.delete(condemned, right(), logs);
        }
        swept(found, store);
        resumeAfter = condemned.resumeAfter();
        later(startOver());
    }

    private BlobLifetime lifetime(SweepRight.Leave leave) {
        return new BlobLifetime(horizon(leave), lifetime.floor());
    }

    /**
     * The horizon of a sweep: the time to live that all members of the owner promise, otherwise the
     * application's own horizon, if any.
     */
    private Optional<Horizon> horizon(SweepRight.Leave leave) {
        Optional<Horizon> age = leave.timeToLive().map(Horizon.Age::new);
        return age.isPresent() ? age : source.horizon();
    }

    private static InvalidSettingsException notSwept(BlobStore store, String reason) {
        return new InvalidSettingsException("Cannot sweep " + store.location() + ": " + reason);
    }

    /**
     * Checks that clocks agree. Otherwise the next sweep begins again with a listing.
     *
     * @param difference a difference of two clocks that is too large; empty if there is none
     */
    private void requireAgreement(Optional<String> difference, BlobStore store) {
        if (difference.isPresent()) {
            figures.clocksDiffer();
            throw notSwept(
                    store,
                    difference.get() + ". Clocks may differ by " + StoreClock.MARGIN.toMinutes()
                            + " minutes, so the ages of blobs are unknown. Nothing is deleted. Correct the clock (NTP);"
                            + " docs/operations.md, \"When a sweep stops\", describes how to continue.");
        }
    }

    private Map<Partition, NotificationLogs.Term> terms() throws InterruptedException {
        try (NotificationLogs logs = source.logs(time)) {
            return logs.terms(scope::covers);
        }
    }

    private SweepReport decide(Sweep sweep, SweepRight.Leave leave, BlobListing listed, BlobStore store)
            throws InterruptedException {
        if (horizon(leave).isPresent()) {
            return sweep.byHorizon(listed);
        }
        SweepReport report;
        try (NotificationLogs logs = source.logs(time)) {
            report = sweep.byLogs(listed, logs, terms);
        }
        if (report.hasTooManyOrphans()) {
            throw notSwept(
                    store,
                    report.orphans() + " of " + report.listed() + " blobs never had a notification, so they may be"
                            + " another cluster's. Nothing is deleted; docs/operations.md, \"When a sweep stops\","
                            + " describes how to continue.");
        }
        return report;
    }

    private void swept(SweepReport report, BlobStore store) {
        figures.swept(report);
        LOG.info(
                "Swept {}: {} blobs, {} needed, {} deleted ({} bytes; {} never needed), {} kept because topics {} do not exist, {} kept because a log has never held a record, {} kept because notifications may still appear in logs [{}], {} kept because they hold other content, {} damaged, {} not needed and younger than the floor of {} s.{}",
                store.location(),
                report.listed(),
                report.needed(),
                report.unneeded(),
                report.unneededBytes(),
                report.orphans(),
                report.kept(),
                report.unknownTopics(),
                report.silent(),
                report.unsettled(),
                report.doubtsInWords(),
                report.otherContent(),
                report.damaged(),
                report.spared(),
                lifetime.floor().toSeconds(),
                report.oldest()
                        .map(reference -> " The oldest needed blob is " + reference + ".")
                        .orElse(""));
    }

    /** Ends a running sweep after its current request, and waits briefly for that. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            stopSignal.raise();
            worker.close();
            running.awaitEnd(LEAVE);
            figures.close();
        }
    }

    /** Whether the worker is busy; it gets one task at a time. Thread-safe. */
    private static final class Running {
        private final Time time;
        private final Signal ended;
        private final AtomicBoolean is = new AtomicBoolean();

        Running(Time time) {
            this.time = time;
            ended = time.signal();
        }

        boolean begin() {
            return is.compareAndSet(false, true);
        }

        void end() {
            is.set(false);
            ended.raise();
        }

        void awaitEnd(Duration most) {
            long until = time.nanos() + most.toNanos();
            try {
                boolean goesOn = true;
                while (goesOn) {
                    long seen = ended.count();
                    goesOn = is.get() && ended.await(seen, until);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
