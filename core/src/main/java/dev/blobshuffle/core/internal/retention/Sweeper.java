package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.Closed;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
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
 * Deletes the application's unneeded blobs in the background. One instance has the turn
 * ({@link SweepTurn}). It lists the store, sets tombstones on the unneeded blobs of the list one
 * interval later ({@link Sweep}), and deletes them after another interval. The interval is the
 * grace period of both steps. An instance that gets the turn starts with a new listing and takes
 * over no state.
 *
 * <p>While it works, the sweeper uses its own thread, store client and broker clients, so that it
 * takes no resources from the shuffle. Its failures stop nothing else: it logs a failure once and
 * tries again. Thread-safe; the work runs on one thread.
 */
public final class Sweeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    private static final Duration LEAVE = Duration.ofSeconds(3);

    private final Optional<SweepTiming> timing;
    private final BlobLifetime lifetime;
    private final Supplier<BlobStore> stores;
    private final SweepSource source;
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

    /** The listing to decide on next. Owned by the worker, as are the fields below. */
    private @Nullable BlobListing listing;

    /** The terms of the logs, from before that listing. */
    private Map<Partition, NotificationLogs.Term> terms = Map.of();

    /** The blobs with tombstones, which the next sweep deletes. */
    private @Nullable BlobListing tombstones;

    /** The findings from when the tombstones were set. */
    private SweepReport found = SweepReport.NOTHING;

    /** When the listing was complete; with a time to live, when the last sweep ended. */
    private long since;

    private Optional<BlobId> resumeAfter = Optional.empty();
    private boolean isStarted;
    private boolean isWarned;

    /**
     * A sweeper that has not started.
     *
     * @param timing when it sweeps; empty: never
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
     * @param metrics the engine's
     * @param time its clocks and threads; closed after the sweeper
     */
    public static Sweeper of(Settings settings, SweepSource source, ShuffleMetrics metrics, Time time) {
        return of(
                settings.value(RetentionSettings.SWEEP_INTERVAL).map(SweepTiming::every),
                BlobLifetime.of(settings),
                settings,
                source,
                metrics,
                time);
    }

    /**
     * The same with shorter times than the settings allow. A test knows how long its blobs can be
     * without notifications, and that nobody will miss them.
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
     * Wraps the membership, so that the sweeper learns what consumers of this instance read and
     * thus whether it has the turn. Starts the sweeper.
     *
     * @param membership stays its owner's to close
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
        } catch (Closed e) {
            LOG.trace("The application has ended.", e);
        }
    }

    /** On the timer's thread. */
    private void look(SweepTiming when, SweepTurn turn) {
        boolean isOurs = turn.isOurs();
        if (!isClosed.get() && (isOurs || wasOurs) && running.begin()) {
            wasOurs = isOurs;
            try {
                worker.execute(() -> work(when, turn));
            } catch (Closed e) {
                running.end(); // The application ends.
            }
        }
        if (!isClosed.get()) {
            lookLater(when, turn);
        }
    }

    private void work(SweepTiming when, SweepTurn turn) {
        try {
            Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
            boolean isEarly =
                    isStarted && time.nanos() - since < when.interval().toNanos();
            if (!turn.isOurs()) {
                forget();
            } else if (!isEarly) {
                sweep();
                isWarned = false;
            }
        } catch (Closed e) {
            LOG.debug("The sweep ends with the application.", e);
        } catch (RuntimeException e) { // Whatever it is, the application goes on.
            failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            running.end();
        }
    }

    private void forget() {
        listing = null;
        tombstones = null;
        isStarted = false;
        resumeAfter = Optional.empty();
        figures.forget();
    }

    private void failed(RuntimeException e) {
        if (isClosed.get()) {
            return;
        }
        listing = null;
        tombstones = null;
        since = time.nanos();
        isStarted = true;
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
                since = time.nanos();
                isStarted = true;
                return;
            }
            Sweep sweep = new Sweep(store, scope, SweepPace.BESIDE_AN_APPLICATION, stopSignal, meter);
            sweep(sweep, store);
        }
        since = time.nanos();
        isStarted = true;
    }

    /** Deletes the blobs with tombstones, sets tombstones on the last listing, and lists again. */
    private void sweep(Sweep sweep, BlobStore store) throws InterruptedException {
        BlobListing condemned = tombstones;
        BlobListing listed = listing;
        tombstones = null;
        listing = null;
        SweepRight right = source.right(store, time);
        StoreClock clock = right.clock();
        requireAgreement(clock.differenceFromOwn(), store);
        if (condemned != null) {
            sweep.delete(condemned, Optional.ofNullable(listed), right);
            swept(found, store);
        }
        if (listed != null) {
            found = decide(sweep, listed, store);
            tombstones = listed;
            resumeAfter = listed.resumeAfter();
        }
        right.raise();
        terms = terms();
        BlobListing next = sweep.list(BlobId.NO_OWNER, resumeAfter, lifetime, clock);
        requireAgreement(next.newestGeneration().flatMap(clock::differenceFrom), store);
        listing = next;
    }

    /**
     * Checks that clocks agree. Otherwise the next sweep begins again with a listing.
     *
     * @param difference too large a difference of two clocks; empty if there is none
     */
    private void requireAgreement(Optional<String> difference, BlobStore store) {
        if (difference.isPresent()) {
            figures.clocksDiffer();
            throw new InvalidSettings("Cannot sweep " + store.location() + ": " + difference.get()
                    + ". Clocks may differ by " + StoreClock.MARGIN.toMinutes()
                    + " minutes, so nobody can tell how old blobs are. Nothing is deleted. Correct the clock (NTP);"
                    + " docs/operations.md, \"When a sweep stops\", says how to go on.");
        }
    }

    private Map<Partition, NotificationLogs.Term> terms() throws InterruptedException {
        if (lifetime.timeToLive().isPresent()) {
            return Map.of();
        }
        try (NotificationLogs logs = source.logs(time)) {
            return logs.terms(scope::covers);
        }
    }

    private SweepReport decide(Sweep sweep, BlobListing listed, BlobStore store) throws InterruptedException {
        SweepReport report;
        if (lifetime.timeToLive().isPresent()) {
            report = sweep.byAge(listed);
        } else {
            try (NotificationLogs logs = source.logs(time)) {
                report = sweep.byLogs(listed, logs, terms);
            }
        }
        if (report.hasTooManyOrphans() && lifetime.timeToLive().isEmpty()) {
            throw new InvalidSettings("Cannot sweep " + store.location() + ": " + report.orphans() + " of "
                    + report.listed() + " blobs never had a notification, so they may be another cluster's."
                    + " Nothing is deleted; docs/operations.md, \"When a sweep stops\", says how to go on.");
        }
        return report;
    }

    private void swept(SweepReport report, BlobStore store) {
        figures.swept(report);
        LOG.info(
                "Swept {}: {} blobs, {} needed, {} deleted ({} bytes; {} never needed), {} of other applications, {} kept because topics {} do not exist, {} kept because a log has never held a record, {} kept because notifications may still appear in logs [{}], {} kept because they hold other content, {} damaged, {} not needed and younger than the floor of {} s.{}",
                store.location(),
                report.listed(),
                report.needed(),
                report.unneeded(),
                report.unneededBytes(),
                report.orphans(),
                report.foreign(),
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
