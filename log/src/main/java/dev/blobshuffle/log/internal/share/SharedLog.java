package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.share.PageRefused.Reason;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The log as one member reads it for its zone: per topic a ring of the latest batches, and at most
 * one read at a time however many ask. The rings share a byte budget. Topics that nobody has asked
 * for lately make room for others. Thread-safe.
 */
public final class SharedLog {
    /** So each ring can hold some pages. Other topics are read from the log. */
    private static final int MOST_TOPICS = 16;

    private final UUID id;
    private final MeteredLogReads reads;
    private final long budget;
    private final Time time;
    private final Map<Integer, SharedTopic> topics = new HashMap<>();

    /**
     * Shares nothing yet.
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
     * The batches after one, from memory or by a read that other askers share. Empty if the topic
     * ended there after the question had come. Fails with {@link PageRefused} and nothing else.
     */
    public CompletionStage<List<SequencedBatch>> page(LogQuestion question) {
        if (!question.log().equals(id)) {
            return CompletableFuture.failedFuture(new PageRefused(Reason.OTHER_LOG));
        }
        SharedTopic topic;
        synchronized (topics) {
            topics.values().removeIf(SharedTopic::isIdle);
            topic = topics.get(question.topic());
            if (topic == null) {
                if (topics.size() == MOST_TOPICS) {
                    return CompletableFuture.failedFuture(new PageRefused(Reason.BUSY));
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
