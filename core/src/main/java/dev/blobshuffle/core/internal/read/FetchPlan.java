package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The fetches of one round: from downloads that the instance shares, or alone. Of the latter,
 * neighbouring segments of a section share one read, because stores charge per request and the
 * writer places the segments of a zone next to each other. Owned by the Debatcher's thread.
 */
final class FetchPlan {
    private final ReadEngine engine;
    private final SharedReader reader;
    private final Fetch.Arrivals arrivals;
    private final Map<SharedSection.Key, List<QueuedSegment<?>>> sections = new LinkedHashMap<>();
    private final List<Runnable> loads = new ArrayList<>();
    private final List<Fetch> fetches = new ArrayList<>();

    FetchPlan(ReadEngine engine, SharedReader reader, Fetch.Arrivals arrivals) {
        this.engine = engine;
        this.reader = reader;
        this.arrivals = arrivals;
    }

    /**
     * Adds a segment's planned read, for which budget has been acquired. It may share a request
     * with others.
     */
    void add(QueuedSegment<?> segment) {
        if (segment.isReadAfresh()) {
            fetch(List.of(segment), segment.readLength(), 0);
            return;
        }
        Notification of = segment.notification();
        sections.computeIfAbsent(SharedSection.Key.of(of), section -> new ArrayList<>(4))
                .add(segment);
    }

    /**
     * Adds a segment's planned read from a shared download, which owns the memory.
     *
     * @param holds the bytes that the Debatcher holds; a new download may be too much
     * @param mayLoad whether a new download may start
     * @return false if no download covers the segment, and there is no room for another one
     */
    boolean share(QueuedSegment<?> segment, long holds, boolean mayLoad) {
        if (segment.isReadAfresh()) {
            return false;
        }
        BlobId blob = segment.notification().blob();
        BlobRange range = range(segment);
        Optional<CompletionStage<BlobBytes>> read = reader.join(blob, range, holds);
        if (read.isEmpty() && mayLoad) {
            Optional<SharedReads.Load> load = reader.load(blob, range, holds);
            load.ifPresent(each -> loads.add(each.start()));
            read = load.map(SharedReads.Load::read);
        }
        read.ifPresent(bytes -> add(List.of(segment), new Fetch(engine, arrivals, blob, range, bytes)));
        return read.isPresent();
    }

    private static BlobRange range(QueuedSegment<?> segment) {
        Notification of = segment.notification();
        return new BlobRange(of.sectionOffset(), of.sectionLength(), segment.readOffset(), segment.readLength());
    }

    /** Adds a segment's planned read, for which reserve has been acquired. */
    void addFromReserve(QueuedSegment<?> segment) {
        fetch(List.of(segment), 0, segment.readLength());
    }

    /** Starts every read of the round. */
    void start() {
        for (List<QueuedSegment<?>> section : sections.values()) {
            section.sort(Comparator.comparingLong(QueuedSegment::readOffset));
            merge(section);
        }
        sections.clear();
        // Start the reads last: a read may end and report at once, so the plan must be complete.
        loads.forEach(Runnable::run);
        loads.clear();
        for (Fetch fetch : fetches) {
            fetch.start();
        }
        fetches.clear();
    }

    private void merge(List<QueuedSegment<?>> section) {
        int from = 0;
        long end = end(section.get(0));
        long held = section.get(0).readLength();
        for (int i = 1; i < section.size(); i++) {
            QueuedSegment<?> next = section.get(i);
            long gap = next.readOffset() - end;
            boolean fits = end(next) - section.get(from).readOffset()
                    <= engine.budget().largestRead();
            if (gap >= 0
                    && gap <= SharedReads.LARGEST_GAP
                    && fits
                    && engine.budget().tryAcquire(gap)) {
                held += gap + next.readLength();
            } else {
                fetch(section.subList(from, i), held, 0);
                from = i;
                held = next.readLength();
            }
            end = end(next);
        }
        fetch(section.subList(from, section.size()), held, 0);
    }

    private void fetch(List<QueuedSegment<?>> users, long budgeted, long reserved) {
        QueuedSegment<?> first = users.get(0);
        Notification of = first.notification();
        long offset = first.readOffset();
        long length = end(users.get(users.size() - 1)) - offset;
        BlobRange range = new BlobRange(of.sectionOffset(), of.sectionLength(), offset, length);
        if (first.isReadAfresh()) {
            range = range.afresh();
        }
        add(users, new Fetch(engine, arrivals, of.blob(), range, budgeted, reserved));
    }

    private void add(List<QueuedSegment<?>> users, Fetch fetch) {
        for (QueuedSegment<?> user : users) {
            fetch.join(user);
            user.fetching(fetch);
        }
        fetches.add(fetch);
    }

    private static long end(QueuedSegment<?> segment) {
        return segment.readOffset() + segment.readLength();
    }
}
