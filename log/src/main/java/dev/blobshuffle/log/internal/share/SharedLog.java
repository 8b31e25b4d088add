package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.PageRefusedException.Reason;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reads a log for the members of a zone. It keeps a ring of the latest batches per topic, and runs
 * at most one read per topic at a time, however many members ask. The rings share a byte budget.
 * Topics without recent requests make room for others. Thread-safe.
 */
public final class SharedLog {
    /**
     * Limit on topics, so that each ring has room for some pages. Other topics are read from the
     * log.
     */
    private static final int MOST_TOPICS = 16;

    private final UUID id;
    private final MeteredLogReads reads;
    private final long budget;
    private final Time time;
    private final Map<Integer, SharedTopic> topics = new HashMap<>();

    /**
     * Starts without rings.
     *
     * @param id of the log
     * @param budget bytes of entries that all rings hold together
     */
    public SharedLog(UUID id, MeteredLogReads reads, long budget, Time time) {
        this.id = id;
        this.reads = reads;
        this.budget = budget;
        this.time = time;
    }

    /** The log's id. */
    public UUID id() {
        return id;
    }

    /**
     * The batches after a batch, from memory or by a read that several requests share. Empty if the
     * topic ended there after the question arrived. Fails only with {@link PageRefusedException}.
     */
    public CompletionStage<List<SequencedBatch>> page(LogQuestion question) {
        if (!question.log().equals(id)) {
            return CompletableFuture.failedFuture(new PageRefusedException(Reason.OTHER_LOG));
        }
        SharedTopic topic;
        synchronized (topics) {
            topics.values().removeIf(SharedTopic::isIdle);
            topic = topics.get(question.topic());
            if (topic == null) {
                if (topics.size() == MOST_TOPICS) {
                    return CompletableFuture.failedFuture(new PageRefusedException(Reason.BUSY));
                }
                topic = new SharedTopic(question.topic(), reads, this::share, time);
                topics.put(question.topic(), topic);
            }
        }
        return topic.page(question);
    }

    private long share() {
        synchronized (topics) {
            return budget / Math.max(1, topics.size());
        }
    }
}
