package dev.blobshuffle.core.retention;

import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.format.GenerationSpan;
import dev.blobshuffle.core.format.Notification;
import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.store.MeasurableStore;
import dev.blobshuffle.core.store.RequestMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds and deletes the blobs of a store that nobody can read any more. A blob is needed while a notification to it lies in a log, committed or not: then a group that is behind, a consumer
 * that seeks back and a group that is new all find it. Kafka's own retention, and Kafka Streams' purging of repartition topics, take notifications away, and blobs follow.
 *
 * <p>The blobs are listed first. Then the caller waits for the grace period, which is longer than a stored blob
 * can be without its notification. Only then the logs are read, from their starts to the ends that they have now. A
 * listed blob to which no notification leads will never have one: its writer crashed, its transaction was given up,
 * or the log has let it go. It gets a tombstone.
 *
 * <p>That holds if the logs are the right ones. So a blob with a tombstone is deleted after another wait, in which
 * every live instance checks who sweeps ({@link SweepRight}). A sweep may be killed at
 * any moment, and several may run.
 *
 * <p>The footer of a blob names the topics that may lead to it, and is read before the blob is deleted, so no topic can be forgotten: one that was not read yet is read then, and if there
 * is none of its name, the blob is kept.
 *
 * <p>Owned by one thread.
 */
public final class Sweep {
    /** Blobs whose length is asked for to estimate that of all. */
    private static final int MEASURED = 64;

    /** Blobs that one call should list, about. */
    private static final int MOST_AT_ONCE = 100_000;

    /** Generation 0 holds claims of earlier versions. */
    private static final long FIRST_GENERATION = 1;

    /** Bytes of logs after which the pace is looked at. */
    private static final long LOG_STEP = 1 << 20;

    private final PatientStore store;
    private final SweepScope scope;
    private final SweepPace pace;
    private final StopSignal stopSignal;
    private long logBytes;

    /**
     * A sweep that has not looked at anything.
     *
     * @param store stays open
     * @param stopSignal where it rests, and how it is told to end
     */
    public Sweep(MeasurableStore store, SweepScope scope, SweepPace pace, StopSignal stopSignal) {
        this(store, scope, pace, stopSignal, RequestMeter.NONE);
    }

    /** @param meter takes note of the gets and puts; of the rest the store itself tells */
    Sweep(MeasurableStore store, SweepScope scope, SweepPace pace, StopSignal stopSignal, RequestMeter meter) {
        this.store = new PatientStore(store, stopSignal, meter);
        this.scope = scope;
        this.pace = pace;
        this.stopSignal = stopSignal;
    }

    /**
     * Lists the store, the oldest generations first, as much as the listing has room for.
     *
     * @param after where the listing before this one ended; empty to begin
     */
    public BlobListing list(Optional<BlobId> after) throws InterruptedException {
        return listBefore(Long.MAX_VALUE, after);
    }

    /**
     * Lists the generations before one.
     *
     * @param generation the first that is not listed
     * @param after as in {@link #list}
     */
    public BlobListing listBefore(long generation, Optional<BlobId> after) throws InterruptedException {
        BlobListing listing = new BlobListing(pace.runs(), pace.blobs());
        long first = after.map(BlobId::generation).orElse(FIRST_GENERATION);
        int digits = 0;
        boolean hasRoom = true;
        for (long minute : store.generations()) {
            if (hasRoom && minute >= first && minute < generation) {
                GenerationSpan span = GenerationSpan.around(minute, digits);
                List<BlobId> ids = store.list(span);
                hasRoom = add(ids, first, generation, after, listing);
                first = span.last() + 1;
                digits = digits(ids.size(), digits);
            }
        }
        measure(listing);
        return listing;
    }

    /** How many generations to list at once after some brought so many blobs: each request brings up to a thousand, and what one call brings is in memory at once. */
    private static int digits(int blobs, int before) {
        if (blobs > MOST_AT_ONCE) {
            return Math.max(0, before - 1);
        }
        return blobs < MOST_AT_ONCE / 10 ? Math.min(before + 1, GenerationSpan.MOST_DIGITS) : before;
    }

    private static boolean add(List<BlobId> ids, long first, long end, Optional<BlobId> after, BlobListing listing) {
        for (BlobId id : ids) {
            boolean isMeant = id.generation() >= first
                    && id.generation() < end
                    && (after.isEmpty() || id.compareTo(after.get()) > 0);
            if (isMeant && !listing.add(id)) {
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
     * Decides on a listing by what the logs hold now: puts tombstones on what nobody needs.
     *
     * @param listing made longer ago than the grace period
     * @throws dev.blobshuffle.core.failure.InvalidSettings the topics' notifications lead to another store, or those of another cluster lead to this one: nothing was deleted
     * @throws dev.blobshuffle.core.failure.BlobCorrupt a notification cannot be read: nothing was deleted
     */
    public SweepReport byLogs(BlobListing listing, NotificationLogs logs) throws InterruptedException {
        Set<String> existing = logs.topics();
        LogReach reach = new LogReach();
        ReferenceMarker marker = new ReferenceMarker(listing, store.fingerprint(), reach);
        Candidates candidates = new Candidates(listing, store, scope, reach);
        Set<String> next = firstTopics(listing, existing);
        Set<String> read = new TreeSet<>();
        while (true) {
            read(next, logs, marker, reach);
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
     * Puts tombstones on a listing whatever the logs hold: plain time-to-live.
     *
     * @param listing of generations that are old enough
     */
    public SweepReport byAge(BlobListing listing) throws InterruptedException {
        LogReach none = new LogReach();
        Candidates candidates = new Candidates(listing, store, scope, none);
        Set<String> ignored = candidates.decide(topics -> Set.of(), Set.of(), this::restAfter);
        return candidates.report(new ReferenceMarker(listing, store.fingerprint(), none));
    }

    /**
     * Deletes the blobs with tombstones, some at a time.
     *
     * @param next another listing, in which these blobs count as decided
     */
    public void delete(BlobListing listing, Optional<BlobListing> next, SweepRight right) throws InterruptedException {
        List<BlobId> some = new ArrayList<>(PatientStore.AT_ONCE);
        Optional<Integer> index = listing.condemned(0);
        while (index.isPresent()) {
            BlobId id = listing.id(index.get());
            some.add(id);
            next.ifPresent(other -> other.decide(id));
            index = listing.condemned(index.get() + 1);
            if (some.size() == PatientStore.AT_ONCE || index.isEmpty()) {
                right.requireOwn();
                store.delete(some);
                restAfter(some.size());
                some.clear();
            }
        }
    }

    /** What the blobs most likely named; what this leaves out is read later, for more requests. */
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

    private void read(Set<String> topics, NotificationLogs logs, ReferenceMarker marker, LogReach reach)
            throws InterruptedException {
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
        extents.forEach((partition, extent) -> {
            if (extent.start() == 0) {
                reach.lostNothing(partition);
            }
            if (extent.end() == 0) {
                reach.neverHeldAny(partition);
            }
        });
        marker.requireOwn();
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
