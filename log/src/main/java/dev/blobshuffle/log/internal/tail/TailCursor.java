package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One reader's place in a topic. It takes batches from its tailer's ring if the place is in the
 * ring; otherwise it reads its own pages. Owned by its reader's thread; results arrive on other
 * threads.
 */
public final class TailCursor implements AutoCloseable {
    private final Tailer tailer;
    private final Runnable whenMore;

    /** Guarded by the tailer's lock, like everything below. */
    final Pager pager;

    final Deque<SequencedBatch> own = BatchRing.queue();
    long position;

    @Nullable
    RuntimeException failure;

    TailCursor(Tailer tailer, Pager pager, long position, Runnable whenMore) {
        this.tailer = tailer;
        this.pager = pager;
        this.position = position;
        this.whenMore = whenMore;
    }

    /**
     * The next batches in memory, in order and without holes. Never blocks. If there are none, the
     * cursor reports when there may be some.
     *
     * @throws dev.blobshuffle.log.failure.PositionTrimmedException retention has passed the
     *     position
     * @throws dev.blobshuffle.log.failure.LogWentBackException the log lost batches that were read;
     *     thrown again until a seek, like the other failures
     * @throws dev.blobshuffle.log.failure.TopicAbsentException the topic was deleted
     */
    public List<SequencedBatch> next(int maxBatches, long maxBytes) {
        return tailer.next(this, maxBatches, maxBytes);
    }

    /** The sequence of the next batch. */
    public long position() {
        return tailer.position(this);
    }

    /** Continues at another sequence, and clears a failure. */
    public void seek(long sequence) {
        tailer.seek(this, sequence);
    }

    /** The topic's last known end; empty: not known yet. */
    public OptionalLong end() {
        return tailer.end();
    }

    /** The first batch that is needed from the next page or the ring. */
    long wanted() {
        return position + own.size();
    }

    void report() {
        whenMore.run();
    }

    /** Stops reading. Idempotent. */
    @Override
    public void close() {
        tailer.close(this);
    }
}
