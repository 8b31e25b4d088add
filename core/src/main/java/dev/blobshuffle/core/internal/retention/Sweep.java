package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoredBlob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds and deletes the blobs of a store that no reader can reach any more. A blob is needed while
 * a log holds a notification of it, committed or not. A group that lags, a consumer that seeks
 * back, and a new group therefore find their blobs. When Kafka's retention, or Kafka Streams'
 * purging of repartition topics, has deleted the notifications, a sweep deletes their blobs.
 *
 * <p>The sweep lists the blobs first. Then the caller waits for the grace period, which is longer
 * than the time between storing a blob and sending its notification. Only then does the sweep read
 * the logs, from their starts to their current ends. A listed blob without a notification will
 * never get one: its writer crashed, its transaction was aborted, or Kafka has already deleted the
 * notification. The sweep sets a tombstone on it. It keeps the blob if records of the past may
 * still appear in one of its logs ({@link NotificationLogs.Extent#doubt}).
 *
 * <p>A sweep sees the blobs of one owner only. This is correct only if the logs are those of the
 * owner's cluster. So a blob with a tombstone is deleted only after another wait, in which every
 * live instance checks whether the cluster is its own ({@link SweepRight}). It is deleted only if
 * no log begins earlier than it did when it was read. A sweep may be killed at any moment, and
 * several sweeps may run at once.
 *
 * <p>A blob that is younger than the floor ({@link BlobLifetime#floor()}) gets no tombstone. Its
 * age is the difference between two times of the store.
 *
 * <p>The footer of a blob names the topics of its records, and the sweep reads the footer before it
 * deletes the blob. So it misses no topic: if a topic has not been read yet, the sweep reads it
 * then. If a topic does not exist, the blob is kept.
 *
 * <p>A blob of other content than records has no notifications, so no log says whether it is
 * needed, and it stays. Its engine deletes it, or it goes with its owner.
 *
 * <p>Owned by one thread.
 */
public final class Sweep {
    /** Number of blobs whose length is requested to estimate the total. */
    private static final int MEASURED = 64;

    /** Approximate number of blobs that one call should list. */
    private static final int MOST_AT_ONCE = 100_000;

    /** The most blobs in one delete request, and between two checks of the right to delete. */
    private static final int MOST_DELETED = 500;

    /** The first generation with blobs. Generation 0 holds claims of earlier versions. */
    private static final long FIRST_GENERATION = 1;

    /** Bytes of logs between two checks of the pace. */
    private static final long LOG_STEP = 1 << 20;

    private final PatientStore store;
    private final SweepScope scope;
    private final SweepPace pace;
    private final StopSignal stopSignal;
    private long logBytes;

    /**
     * A sweep that has not started.
     *
     * @param store stays open
     * @param stopSignal ends the sweep and its pauses
     */
    public Sweep(BlobStore store, SweepScope scope, SweepPace pace, StopSignal stopSignal) {
        this(store, scope, pace, stopSignal, RequestMeter.NONE);
    }

    /** @param meter counts gets and puts; the store itself counts all other requests */
    Sweep(BlobStore store, SweepScope scope, SweepPace pace, StopSignal stopSignal, RequestMeter meter) {
        this.store = new PatientStore(store, stopSignal, meter);
        this.scope = scope;
        this.pace = pace;
        this.stopSignal = stopSignal;
    }

    /**
     * Lists the blobs of an owner, oldest generations first, until the listing is full. With a
     * horizon, lists only blobs below it. Marks those that the floor protects.
     *
     * @param owner the owner of the blobs
     * @param after the blob at which the previous listing ended; empty to start from the oldest
     * @param clock the store's clock
     */
    public BlobListing list(int owner, Optional<BlobId> after, BlobLifetime lifetime, StoreClock clock)
            throws InterruptedException {
        AgeLimits limits = AgeLimits.at(clock.now(), lifetime);
        BlobListing listing = new BlobListing(owner, pace.runs(), pace.blobs());
        long first = after.map(BlobId::generation).orElse(FIRST_GENERATION);
        int digits = 0;
        boolean hasRoom = true;
        for (long minute : store.generations(owner)) {
            listing.newestGeneration(minute);
            if (hasRoom && minute >= first && limits.mayList(minute)) {
                GenerationSpan span = GenerationSpan.around(minute, digits);
                List<StoredBlob> found = store.list(owner, span);
                hasRoom = add(found, first, after, limits, listing);
                first = span.last() + 1;
                digits = digits(found.size(), digits);
            }
        }
        measure(listing);
        return listing;
    }

    /**
     * The number of generations to list in the next call, from the number of blobs in the last
     * call. A request returns up to 1,000 keys, and the result of a call is in memory at once.
     */
    private static int digits(int blobs, int before) {
        if (blobs > MOST_AT_ONCE) {
            return Math.max(0, before - 1);
        }
        return blobs < MOST_AT_ONCE / 10 ? Math.min(before + 1, GenerationSpan.MOST_DIGITS) : before;
    }

    private static boolean add(
            List<StoredBlob> found, long first, Optional<BlobId> after, AgeLimits limits, BlobListing listing) {
        for (StoredBlob blob : found) {
            BlobId id = blob.id();
            boolean isMeant = id.generation() >= first
                    && (after.isEmpty() || id.compareTo(after.get()) > 0)
                    && limits.lists(blob);
            if (isMeant && !(limits.spares(blob) ? listing.addYoung(id) : listing.add(id))) {
                return false;
            }
        }
        return true;
    }

    private void measure(BlobListing listing) throws InterruptedException {
        long sum = 0;
        int measured = 0;
        int step = Math.max(1, listing.size() / MEASURED);
        for (int index = 0; index < listing.size(); index += step) {
            Optional<Long> length = store.length(listing.id(index));
            sum += length.orElse(0L);
            measured += length.isPresent() ? 1 : 0;
        }
        listing.averageBytes(measured == 0 ? 0 : sum / measured);
    }

    /**
     * Decides on a listing by the current content of the logs: sets tombstones on unneeded blobs.
     *
     * @param listing a listing older than the grace period
     * @param terms the terms of the logs, from before the listing
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException the topics' notifications refer
     *     to another store, or those of another cluster refer to this one; nothing was deleted
     * @throws dev.blobshuffle.core.failure.BlobCorruptException a notification cannot be read;
     *     nothing was deleted
     */
    public SweepReport byLogs(BlobListing listing, NotificationLogs logs, Map<Partition, NotificationLogs.Term> terms)
            throws InterruptedException {
        Set<String> existing = logs.topics();
        LogReach reach = new LogReach();
        ReferenceMarker marker = new ReferenceMarker(listing, store.fingerprint(), reach);
        Candidates candidates = new Candidates(listing, store, scope, reach);
        Set<String> next = firstTopics(listing, existing);
        Set<String> read = new TreeSet<>();
        while (true) {
            Map<Partition, NotificationLogs.Extent> extents = read(next, logs, marker);
            extents.forEach((partition, extent) -> listing.logStart(partition, extent.start()));
            reach.read(next, extents, terms);
            read.addAll(next);
            next = candidates.decide(
                    topics -> {
                        Set<String> unread = new TreeSet<>(topics);
                        unread.removeAll(read);
                        unread.removeIf(topic -> scope.isDeleted(topic) && !existing.contains(topic));
                        return unread;
                    },
                    existing,
                    this::restAfter);
            if (next.isEmpty()) {
                return candidates.report(marker);
            }
        }
    }

    /**
     * Sets tombstones on a whole listing without reading the logs.
     *
     * @param listing a listing of blobs below a horizon
     */
    public SweepReport byHorizon(BlobListing listing) throws InterruptedException {
        LogReach none = new LogReach();
        Candidates candidates = new Candidates(listing, store, scope, none);
        Set<String> ignored = candidates.decide(topics -> Set.of(), Set.of(), this::restAfter);
        return candidates.report(new ReferenceMarker(listing, store.fingerprint(), none));
    }

    /**
     * Sets tombstones on a whole listing and reads no footer: not even what is damaged is needed.
     *
     * @param listing of an owner whose application is gone
     */
    void condemnAll(BlobListing listing) {
        for (Optional<Integer> next = listing.undecided(0); next.isPresent(); next = listing.undecided(next.get())) {
            listing.condemn(next.get());
        }
    }

    /**
     * Deletes the blobs with tombstones, in several requests.
     *
     * @param logs the logs that the tombstones are based on
     * @throws InvalidSettingsException a log now begins earlier than when it was read, the horizon
     *     has gone back, or the right is lost
     */
    public void delete(BlobListing listing, SweepRight right, NotificationLogs logs) throws InterruptedException {
        List<BlobId> some = new ArrayList<>(MOST_DELETED);
        Optional<Integer> index = listing.condemned(0);
        while (index.isPresent()) {
            some.add(listing.id(index.get()));
            index = listing.condemned(index.get() + 1);
            if (some.size() == MOST_DELETED || index.isEmpty()) {
                requireSame(listing, logs);
                right.requireOwn();
                store.delete(some);
                restAfter(some.size());
                some.clear();
            }
        }
    }

    private void requireSame(BlobListing listing, NotificationLogs logs) throws InterruptedException {
        Optional<String> difference = logs.goneBack(listing.logStarts());
        if (difference.isPresent()) {
            throw new InvalidSettingsException("Cannot delete from " + store.location() + ": " + difference.get()
                    + ". Nothing more is deleted, and the sweep begins again.");
        }
    }

    /**
     * The topics to read first, from a sample of the footers. Missed topics are read later, at the
     * cost of more requests.
     */
    private Set<String> firstTopics(BlobListing listing, Set<String> existing) throws InterruptedException {
        Set<String> first = new TreeSet<>();
        if (scope.isEverything()) {
            List<BlobId> some = new ArrayList<>();
            int step = Math.max(1, listing.size() / PatientStore.AT_ONCE);
            for (int index = 0; index < listing.size(); index += step) {
                some.add(listing.id(index));
            }
            for (Optional<PatientStore.Contents> contents : store.contents(some)) {
                contents.flatMap(PatientStore.Contents::topics).ifPresent(first::addAll);
            }
            first.retainAll(existing);
        } else if (listing.size() > 0) {
            existing.stream().filter(scope::covers).forEach(first::add);
        }
        return first;
    }

    private Map<Partition, NotificationLogs.Extent> read(
            Set<String> topics, NotificationLogs logs, ReferenceMarker marker) throws InterruptedException {
        Map<Partition, NotificationLogs.Extent> extents = logs.read(topics, new NotificationLogs.Receiver() {
            @Override
            public void notification(Partition partition, long position, Notification notification, boolean isMarked) {
                marker.mark(partition, position, notification, isMarked);
            }

            @Override
            public void read(long bytes) throws InterruptedException {
                stopSignal.check();
                slowDown(bytes);
            }
        });
        marker.requireOwn();
        return extents;
    }

    private void slowDown(long bytes) throws InterruptedException {
        logBytes += bytes;
        if (logBytes >= LOG_STEP) {
            stopSignal.rest(Duration.ofNanos((long) (logBytes * 1e9 / pace.logBytesPerSecond())));
            logBytes = 0;
        }
    }

    private void restAfter(int requests) throws InterruptedException {
        stopSignal.rest(Duration.ofNanos((long) (requests * 1e9 / pace.blobsPerSecond())));
    }
}
