package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.log.failure.LogWentBackException;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.TopicState;
import dev.blobshuffle.log.internal.tail.LogPage.Source;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one topic once for all nearby cursors of an instance. Its ring follows the foremost cursor
 * in it, and is at most half a share ahead. A cursor that is too slow falls out of the ring and
 * reads its own pages until it reaches the ring again. A ring without cursors moves to the next
 * cursor that asks. Thread-safe.
 */
final class Tailer implements TopicListener {
    /** A cursor reads its next page when it has fewer batches than this. */
    private static final int LOW = 200;

    private static final long SMALLEST_SHARE = 256 << 10;
    private static final long LARGEST_PAGE = 4 << 20;

    private final int topic;
    private final MeteredLogReads log;
    private final TopicPages pages;
    private final LongSupplier share;
    private final Runnable whenUnused;
    private final Object lock = new Object();

    /** Guarded by the lock, like everything below. */
    private final Set<TailCursor> cursors = new LinkedHashSet<>();

    private final BatchRing ring = new BatchRing();
    private final Pager pager;
    private OptionalLong end = OptionalLong.empty();

    /**
     * Rises with each report of new batches, so that an older empty page does not hide them. A
     * pager that has read nothing has seen 0.
     */
    private long news = 1;

    private boolean isClosed;

    /**
     * A tailer without cursors.
     *
     * @param log the source for cursors outside the ring
     * @param pages the source for the ring
     */
    Tailer(int topic, MeteredLogReads log, TopicPages pages, LongSupplier share, Runnable whenUnused) {
        this.topic = topic;
        this.log = log;
        this.pages = pages;
        this.share = share;
        this.whenUnused = whenUnused;
        pager = new Pager(topic);
    }

    TailCursor open(long from, Runnable whenMore) {
        TailCursor cursor = new TailCursor(this, new Pager(topic), from, whenMore);
        synchronized (lock) {
            cursors.add(cursor);
        }
        return cursor;
    }

    List<SequencedBatch> next(TailCursor cursor, int maxBatches, long maxBytes) {
        long most = largestShare();
        List<SequencedBatch> taken;
        List<Runnable> reads = new ArrayList<>(0);
        synchronized (lock) {
            checkOpen(cursor);
            taken = BatchRing.take(cursor.own, maxBatches, maxBytes);
            if (taken.isEmpty() && !cursor.pager.isReading()) {
                moveRingTo(cursor);
                taken = ring.from(cursor.position, maxBatches, maxBytes);
            }
            if (taken.isEmpty() && cursor.failure != null) {
                throw cursor.failure;
            }
            cursor.position += taken.size();
            plan(most, reads);
        }
        reads.forEach(Runnable::run);
        return taken;
    }

    private void checkOpen(TailCursor cursor) {
        if (isClosed || !cursors.contains(cursor)) {
            throw new ClosedException("Cannot read topic " + topic + ": the reader is closed. Open another one.");
        }
    }

    private void moveRingTo(TailCursor cursor) {
        boolean isFree = !ring.reaches(cursor.position)
                && !pager.isReading()
                && cursor.failure == null
                && cursors.stream().noneMatch(other -> other != cursor && isFollowing(other));
        if (isFree) {
            ring.restart(cursor.position);
        }
    }

    private boolean isFollowing(TailCursor cursor) {
        return cursor.failure == null && ring.reaches(cursor.wanted());
    }

    private long largestShare() {
        return Math.max(SMALLEST_SHARE, share.getAsLong());
    }

    long position(TailCursor cursor) {
        synchronized (lock) {
            return cursor.position;
        }
    }

    void seek(TailCursor cursor, long sequence) {
        synchronized (lock) {
            checkOpen(cursor);
            cursor.failure = null;
            if (cursor.position != sequence) {
                cursor.own.clear();
                cursor.position = sequence;
            }
            news++;
        }
    }

    OptionalLong end() {
        synchronized (lock) {
            return end;
        }
    }

    /** Plans the necessary reads. The caller starts them without the lock. */
    private void plan(long most, List<Runnable> reads) {
        if (isClosed) {
            return;
        }
        long pageBytes = Math.min(LARGEST_PAGE, most / 4);
        boolean isWanted = false;
        for (TailCursor cursor : cursors) {
            if (isFollowing(cursor)) {
                isWanted |= ring.bytesFrom(cursor.wanted()) < most / 2;
            } else if (cursor.failure == null
                    && !cursor.pager.isReading()
                    && cursor.own.size() < LOW
                    && mayHaveMore(cursor.wanted(), cursor.pager)) {
                ReadRequest request = cursor.pager.begin(cursor.wanted(), pageBytes, news);
                reads.add(() -> read(() -> log.read(request).thenApply(page -> new LogPage(page, Source.LOG)), cursor));
            }
        }
        if (isWanted && !pager.isReading() && mayHaveMore(ring.next(), pager)) {
            NextPage wanted = new NextPage(pager.begin(ring.next(), pageBytes, news), pager.before(), end);
            reads.add(() -> read(() -> pages.read(wanted), null));
        }
    }

    /** Whether a read may find a batch, or a failure, such as a position beyond the end. */
    private boolean mayHaveMore(long sequence, Pager reader) {
        boolean isNews = reader.newsAt() != news || end.isEmpty() || end.getAsLong() != sequence;
        return isNews && !reader.isResting();
    }

    private void read(Supplier<CompletionStage<LogPage>> reading, @Nullable TailCursor cursor) {
        var ignored = LogWatch.ask(reading).whenComplete((answer, failure) -> {
            List<Runnable> reads = new ArrayList<>(0);
            long most = largestShare();
            List<TailCursor> woken = List.of();
            synchronized (lock) {
                Pager reader = cursor == null ? pager : cursor.pager;
                LogPage page = failure == null ? reader.current(answer) : answer;
                Optional<RuntimeException> lasting = failure == null ? arrived(reader, page) : reader.failed(failure);
                if (lasting.isPresent()) {
                    fail(lasting.get(), cursor);
                    woken = List.copyOf(cursors);
                } else if (failure == null) {
                    keep(page.batches(), cursor, reader, most);
                    plan(most, reads);
                    woken = List.copyOf(cursors);
                }
            }
            woken.forEach(TailCursor::report);
            reads.forEach(Runnable::run);
        });
    }

    private static Optional<RuntimeException> arrived(Pager reader, LogPage page) {
        try {
            reader.arrived(page);
            return Optional.empty();
        } catch (RuntimeException e) {
            return reader.failed(e);
        }
    }

    private void keep(List<SequencedBatch> page, @Nullable TailCursor cursor, Pager reader, long most) {
        long after = reader.from() + page.size();
        if (end.isEmpty() || end.getAsLong() < after || (page.isEmpty() && reader.newsAt() == news)) {
            end = OptionalLong.of(after);
        }
        if (cursor == null) {
            if (reader.from() == ring.next()) {
                ring.add(page);
                ring.evict(most);
            }
        } else if (reader.from() == cursor.wanted()) {
            cursor.own.addAll(page);
        }
    }

    /**
     * Reports a failure of the ring to the cursors in it. If the log went back or the topic is
     * gone, all cursors fail.
     */
    private void fail(RuntimeException failure, @Nullable TailCursor cursor) {
        boolean isForAll = failure instanceof LogWentBackException || failure instanceof TopicAbsentException;
        for (TailCursor each : cursors) {
            if (isForAll || (cursor == null ? isFollowing(each) : each == cursor)) {
                each.failure = failure;
            }
            if (failure instanceof LogWentBackException) {
                each.own.clear();
                each.pager.forget();
            }
        }
        if (failure instanceof LogWentBackException) {
            ring.restart(ring.next());
            pager.forget();
        }
    }

    @Override
    public void looked(TopicState state) {
        List<Runnable> reads = new ArrayList<>(0);
        long most = largestShare();
        synchronized (lock) {
            if (end.isPresent() && state.next() < end.getAsLong()) {
                mustCheck();
            }
            end = OptionalLong.of(state.next());
            pager.rested();
            cursors.forEach(cursor -> cursor.pager.rested());
            plan(most, reads);
        }
        reads.forEach(Runnable::run);
    }

    @Override
    public void hinted() {
        List<Runnable> reads = new ArrayList<>(0);
        long most = largestShare();
        synchronized (lock) {
            news++;
            plan(most, reads);
        }
        reads.forEach(Runnable::run);
    }

    @Override
    public void absent() {
        List<TailCursor> woken;
        synchronized (lock) {
            fail(
                    new TopicAbsentException(
                            "Cannot read topic " + topic + ": it was deleted. Create it, and subscribe again."),
                    null);
            woken = List.copyOf(cursors);
        }
        woken.forEach(TailCursor::report);
    }

    @Override
    public void interrupted() {
        synchronized (lock) {
            mustCheck();
        }
    }

    private void mustCheck() {
        news++;
        pager.mustCheck();
        cursors.forEach(cursor -> cursor.pager.mustCheck());
    }

    void close(TailCursor cursor) {
        boolean isLast;
        synchronized (lock) {
            isLast = cursors.remove(cursor) && cursors.isEmpty();
            cursor.own.clear();
        }
        if (isLast) {
            whenUnused.run();
        }
    }

    boolean isUnused() {
        synchronized (lock) {
            return cursors.isEmpty();
        }
    }

    /** Ends all reading: cursors fail with {@code ClosedException}. */
    void stop() {
        List<TailCursor> woken;
        synchronized (lock) {
            isClosed = true;
            woken = List.copyOf(cursors);
        }
        woken.forEach(TailCursor::report);
    }
}
