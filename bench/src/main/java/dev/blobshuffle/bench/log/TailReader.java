package dev.blobshuffle.bench.log;

import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.TailCursor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Reads a topic as subscribers do, and records when each commit arrives. */
final class TailReader implements Callable<Void> {
    private static final int BATCHES = 500;
    private static final long BYTES = 4 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Time time;
    private final Signal news;
    private final TailCursor cursor;
    private final long start;
    private final LogCheck check;
    private final Map<Long, Long> arrivals = new ConcurrentHashMap<>();
    private final AtomicLong wanted = new AtomicLong(Long.MAX_VALUE);

    /**
     * A reader from the end of a topic.
     *
     * @param start the topic's end
     * @param publishers their number
     */
    TailReader(LogTails tails, int topic, long start, int publishers, Time time) {
        this.time = time;
        this.start = start;
        check = new LogCheck(new long[publishers]);
        news = time.signal();
        cursor = tails.open(topic, start, news::raise);
    }

    /** The key of a commit in {@link #arrivals}. */
    static long key(int publisher, long number) {
        return number << Byte.SIZE | publisher;
    }

    /** Ends the reader after this many commits. */
    void endAfter(long commits) {
        wanted.set(commits);
        news.raise();
    }

    /** When each commit arrived, by its key. */
    Map<Long, Long> arrivals() {
        return arrivals;
    }

    /** The check of the commits that have arrived. */
    LogCheck check() {
        return check;
    }

    @Override
    public Void call() throws InterruptedException {
        long last = time.nanos();
        while (arrivals.size() < wanted.get() && time.nanos() - last < PATIENCE.toNanos()) {
            long seen = news.count();
            boolean isEmpty = true;
            for (SequencedBatch batch : cursor.next(BATCHES, BYTES)) {
                isEmpty = false;
                last = time.nanos();
                ByteBuffer head = ByteBuffer.wrap(batch.entries());
                arrivals.put(key(head.getInt(), head.getLong()), last);
                check.see(batch.sequence() - start, batch.entries());
            }
            if (isEmpty) {
                boolean ignored = news.await(seen, time.nanos() + PATIENCE.toNanos());
            }
        }
        cursor.close();
        return done();
    }

    @SuppressWarnings("NullAway") // a Void has no other value
    private static Void done() {
        return null;
    }
}
