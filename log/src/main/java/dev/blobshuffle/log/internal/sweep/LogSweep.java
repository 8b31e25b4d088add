package dev.blobshuffle.log.internal.sweep;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.retention.PatientStore;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One pass that deletes what a log no longer needs. It removes batches that no rule keeps, puts
 * tombstones on their blobs and on orphans, and deletes blobs whose grace is over.
 *
 * <p>Everything that a later step needs is in the log before the earlier step ends. So a pass may
 * be killed at any moment, any number of passes may run concurrently, and the next pass completes a
 * failed step. Memory is bounded by the blobs of one listing ({@link Spans}).
 *
 * <p>It searches for orphans only among the blobs of the log's own owner. Deletion requires
 * {@link LogSweepRight}: the claim is raised after the tombstones are put, then others have time to
 * contest it, and only blobs with a tombstone from before the claim are deleted. A store without
 * registers is not swept.
 *
 * <p>A blob younger than the floor gets no tombstone. The age of an orphan is by the store's clock,
 * which dates listings; the age of other blobs is by the log's clock, which dates the removal of
 * batches. Both clocks must agree.
 *
 * <p>Owned by one thread.
 */
public final class LogSweep {
    /** Most blobs in one call. */
    private static final int CHUNK = 1_000;

    /**
     * Additional minutes for which the log waits before it buries, after the longest time of a
     * commit.
     */
    private static final long RESERVE = 5;

    /** Most blobs to delete that a dry run counts. */
    private static final int MOST_SEEN = 100_000;

    private final CommitLog log;
    private final Retention retention;
    private final BlobStore blobs;
    private final PatientStore store;
    private final PatientLog patient;
    private final LogSweepOptions options;
    private final StopSignal stopSignal;
    private final Time time;
    private final Tally tally = new Tally();
    private @Nullable LogSweepRight right;
    private boolean areClocksCompared;

    /**
     * A pass that has not started.
     *
     * @param log stays open
     * @param store stays open
     * @param stopSignal ends the pass and its pauses
     */
    public LogSweep(CommitLog log, BlobStore store, LogSweepOptions options, StopSignal stopSignal, Time time) {
        this.log = log;
        this.retention = log.retention();
        this.blobs = store;
        this.store = new PatientStore(store, stopSignal);
        this.patient = new PatientLog(stopSignal);
        this.options = options;
        this.stopSignal = stopSignal;
        this.time = time;
    }

    /** The work of a pass so far. */
    private static final class Tally {
        private long trimmed;
        private long buried;
        private long orphans;
        private long postponed;
        private long listed;
        private long deleted;
    }

    /**
     * Makes one pass, for a command. If there is something to delete, waits for objections.
     *
     * @param log stays open
     * @param store stays open
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException nothing was deleted: another
     *     owner uses the store
     */
    public static LogSweepReport once(CommitLog log, BlobStore store, LogSweepOptions options, Time time)
            throws InterruptedException {
        return new LogSweep(log, store, options, new StopSignal(time), time).run();
    }

    /**
     * Reports what a pass would do, and changes nothing. It lists all generations. It cannot know
     * which batches would be trimmed, and which blobs that would free.
     *
     * @param log stays open
     * @param store stays open
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException nothing would be deleted:
     *     another owner uses the store
     */
    public static LogSweepReport dryRun(CommitLog log, BlobStore store, LogSweepOptions options, Time time)
            throws InterruptedException {
        StopSignal stopSignal = new StopSignal(time);
        LogSweep sweep = new LogSweep(log, store, options, stopSignal, time);
        if (store.registers().isPresent()) {
            sweep.right().requireUncontested();
        }
        return sweep.dryRun();
    }

    /**
     * Makes the pass.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException nothing was deleted: another
     *     owner uses the store
     * @throws dev.blobshuffle.core.failure.ClosedException the pass was stopped
     */
    public LogSweepReport run() throws InterruptedException {
        trim();
        buryUnreferenced();
        buryOrphans();
        deleteDue();
        return report();
    }

    private LogSweepReport report() {
        return new LogSweepReport(
                tally.trimmed, tally.buried, tally.orphans, tally.postponed, tally.listed, tally.deleted);
    }

    private void trim() throws InterruptedException {
        int removed;
        do {
            OptionalInt some = patient.await(retention::trim);
            removed = some.orElse(0); // Empty: another instance trims.
            tally.trimmed += removed;
            restAfter(removed);
        } while (removed > 0);
    }

    // ---- tombstones

    private void buryUnreferenced() throws InterruptedException {
        long young = firstYoung();
        Optional<BlobId> after = Optional.empty();
        List<BlobId> page = unreferenced(after);
        while (!page.isEmpty()) {
            for (Map.Entry<Long, List<BlobId>> one : byGeneration(page).entrySet()) {
                if (one.getKey() >= young) {
                    tally.postponed += one.getValue().size();
                    return; // The later ones are younger.
                }
                OptionalInt count = bury(one.getKey(), one.getValue());
                tally.buried += count.orElse(0);
                tally.postponed += count.isEmpty() ? one.getValue().size() : 0;
            }
            restAfter(page.size());
            after = Optional.of(page.get(page.size() - 1));
            page = unreferenced(after);
        }
    }

    private List<BlobId> unreferenced(Optional<BlobId> after) throws InterruptedException {
        return patient.await(() -> retention.unreferenced(after, CHUNK));
    }

    private static Map<Long, List<BlobId>> byGeneration(List<BlobId> some) {
        Map<Long, List<BlobId>> sorted = new TreeMap<>();
        some.forEach(blob -> sorted.computeIfAbsent(blob.generation(), unknown -> new ArrayList<>())
                .add(blob));
        return sorted;
    }

    private OptionalInt bury(long generation, List<BlobId> some) throws InterruptedException {
        requireAgreement();
        return patient.await(() -> retention.bury(generation, some, options.grace()));
    }

    private Instant clock() throws InterruptedException {
        return patient.await(retention::clock);
    }

    /** The first generation with blobs that may still be committed, or were committed recently. */
    private long firstYoung() throws InterruptedException {
        long minute = clock().toEpochMilli() / BlobId.MILLIS_PER_GENERATION;
        return minute
                - Math.max(
                        retention.longestUncommitted().toMinutes() + RESERVE,
                        options.floor().toMinutes());
    }

    private LogSweepRight right() {
        LogSweepRight known = right;
        if (known == null) {
            known = new LogSweepRight(blobs, log, options.objection(), stopSignal, time);
            right = known;
        }
        return known;
    }

    /** The owner whose blobs may be orphans; empty as long as the log has no owner. */
    private Optional<Integer> owner() throws InterruptedException {
        return blobs.registers().isEmpty() ? Optional.of(BlobId.NO_OWNER) : right().owner();
    }

    /** Whether the age of blobs matters: a store that is never swept keeps all anyway. */
    private boolean hasFloor() {
        return !options.floor().isZero() && blobs.registers().isPresent();
    }

    /**
     * Checks once, before the first tombstone, that the clocks of the log and the store agree.
     *
     * @throws InvalidSettingsException they do not agree: nothing is buried
     */
    private void requireAgreement() throws InterruptedException {
        if (!hasFloor() || areClocksCompared) {
            return;
        }
        Optional<String> difference = right().clock().differenceFrom(clock(), "the log's");
        if (difference.isPresent()) {
            throw new InvalidSettingsException("Cannot sweep " + blobs.location() + ": " + difference.get()
                    + ". Clocks may differ by " + StoreClock.MARGIN.toMinutes()
                    + " minutes, so the ages of blobs are unknown. Nothing is deleted. Correct the clock (NTP) of"
                    + " the database or of the store.");
        }
        areClocksCompared = true;
    }

    private boolean isAnyYoung(List<StoredBlob> found, List<BlobId> unneeded) {
        if (!hasFloor()) {
            return false;
        }
        Instant old = right().clock().now().minus(options.floor());
        Set<BlobId> some = Set.copyOf(unneeded);
        return found.stream()
                .anyMatch(blob -> some.contains(blob.id()) && blob.stored().isAfter(old));
    }

    private void buryOrphans() throws InterruptedException {
        Optional<Integer> owner = owner();
        if (owner.isPresent()) {
            buryOrphans(owner.get());
        }
    }

    private void buryOrphans(int owner) throws InterruptedException {
        ListingPlan plan = new ListingPlan(patient.await(retention::listed), options.uploadLife());
        long young = firstYoung();
        Instant now = clock();
        Spans spans = new Spans(store, owner, generation -> generation < young && plan.isDue(generation, now));
        boolean goesOn = true;
        while (goesOn && spans.hasNext()) {
            Instant began = clock();
            Map<Long, List<StoredBlob>> found = spans.next();
            for (Map.Entry<Long, List<StoredBlob>> one : found.entrySet()) {
                // A commit is open, or a blob is young: the next pass continues here.
                goesOn = goesOn && buryOrphans(one.getKey(), one.getValue(), began, plan);
            }
            if (goesOn) {
                forgetListed(plan);
            }
        }
        forgetListed(plan);
    }

    private boolean buryOrphans(long generation, List<StoredBlob> found, Instant began, ListingPlan plan)
            throws InterruptedException {
        tally.listed++;
        for (int start = 0; start < found.size(); start += CHUNK) {
            List<StoredBlob> chunk = found.subList(start, Math.min(found.size(), start + CHUNK));
            List<BlobId> unneeded = unneeded(chunk);
            if (!unneeded.isEmpty()) {
                if (isAnyYoung(chunk, unneeded)) {
                    tally.postponed += unneeded.size();
                    return false;
                }
                OptionalInt count = bury(generation, unneeded);
                if (count.isEmpty()) {
                    tally.postponed += unneeded.size();
                    return false;
                }
                tally.orphans += count.getAsInt();
            }
            restAfter(chunk.size());
        }
        Instant now = clock();
        if (plan.isMemorable(generation, began, now)) {
            Void ignored = patient.await(() -> retention.markListed(generation));
            plan.listed(generation, now);
        }
        return true;
    }

    private List<BlobId> unneeded(List<StoredBlob> some) throws InterruptedException {
        List<BlobId> ids = some.stream().map(StoredBlob::id).toList();
        Set<BlobId> unneeded = patient.await(() -> retention.unneeded(ids));
        return unneeded.stream().sorted().toList();
    }

    private void forgetListed(ListingPlan plan) throws InterruptedException {
        Set<Long> old = plan.forgettable();
        if (!old.isEmpty()) {
            Void ignored = patient.await(() -> retention.forgetListed(old));
            plan.forgot(old);
        }
    }

    // ---- deletion

    private void deleteDue() throws InterruptedException {
        boolean isAnyDue = !patient.await(() -> retention.due(1)).isEmpty();
        if (!isAnyDue || blobs.registers().isEmpty()) {
            return;
        }
        LogSweepRight own = right();
        String claim = own.claim();
        own.confirm();
        List<BlobId> some = due(claim);
        while (!some.isEmpty()) {
            List<BlobId> dead = some;
            own.requireOwn();
            store.delete(dead);
            Void ignored = patient.await(() -> retention.forget(dead));
            tally.deleted += dead.size();
            restAfter(dead.size());
            some = due(claim);
        }
    }

    private List<BlobId> due(String claim) throws InterruptedException {
        return patient.await(() -> log.retention().claims().due(claim, CHUNK));
    }

    // ---- a dry run

    private LogSweepReport dryRun() throws InterruptedException {
        long young = firstYoung();
        Optional<BlobId> after = Optional.empty();
        List<BlobId> page = unreferenced(after);
        while (!page.isEmpty()) {
            long old = page.stream().filter(blob -> blob.generation() < young).count();
            tally.buried += old;
            tally.postponed += page.size() - old;
            restAfter(page.size());
            after = Optional.of(page.get(page.size() - 1));
            page = unreferenced(after);
        }
        Optional<Integer> owner = owner();
        if (owner.isPresent()) {
            Spans spans = new Spans(store, owner.get(), generation -> generation < young);
            while (spans.hasNext()) {
                for (List<StoredBlob> found : spans.next().values()) {
                    lookForOrphans(found);
                }
            }
        }
        tally.orphans = Math.max(0, tally.orphans - tally.buried); // These have no batch either.
        tally.deleted = patient.await(() -> retention.due(MOST_SEEN)).size();
        return report();
    }

    private void lookForOrphans(List<StoredBlob> found) throws InterruptedException {
        tally.listed++;
        for (int start = 0; start < found.size(); start += CHUNK) {
            List<StoredBlob> chunk = found.subList(start, Math.min(found.size(), start + CHUNK));
            tally.orphans += unneeded(chunk).size();
            restAfter(chunk.size());
        }
    }

    private void restAfter(int some) throws InterruptedException {
        stopSignal.rest(Duration.ofNanos((long) (some * 1e9 / options.blobsPerSecond())));
    }
}
