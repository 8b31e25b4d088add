package dev.blobshuffle.log.internal;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The topics of a log. Thread-safe. */
public interface Topics {
    /**
     * Creates a topic.
     *
     * @return the new topic; empty: a topic of this name exists
     * @throws IllegalArgumentException the name is one that {@link LogName} rejects, or the number
     *     of partitions is out of range
     */
    CompletionStage<Optional<LogTopic>> create(String name, int partitions, RetentionRule retention);

    /** Finds a topic by its name. */
    CompletionStage<Optional<LogTopic>> find(String name);

    /** All topics, by name. */
    CompletionStage<List<LogTopic>> list();

    /**
     * Changes the retention and the number of partitions. Fails with {@code TopicAbsentException},
     * and with {@code IllegalArgumentException} if the number of partitions would fall.
     */
    CompletionStage<LogTopic> change(int topic, int partitions, RetentionRule retention);

    /**
     * Deletes a topic. Later commits to it fail with {@code TopicAbsentException}; its name is free
     * at once, and the next trims remove its batches.
     *
     * @return whether there was such a topic
     */
    CompletionStage<Boolean> delete(String name);

    /**
     * For each topic, the first sequence that was committed at or after a time; the topic's end if
     * there is none.
     */
    CompletionStage<Map<Integer, Long>> sequencesAt(Map<Integer, Instant> times);
}
