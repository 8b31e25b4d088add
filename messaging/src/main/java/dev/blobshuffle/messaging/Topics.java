package dev.blobshuffle.messaging;

import java.util.List;
import java.util.Optional;

/**
 * The topics of a log. Thread-safe. Each call queries the log, and throws
 * {@code LogUnavailableException} if the log does not answer.
 */
public interface Topics {
    /**
     * Creates a topic.
     *
     * @return whether it is new; if not, the existing topic is unchanged
     */
    boolean create(Topic topic);

    /** Finds a topic by its name. */
    Optional<Topic> find(String name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Changes the retention of a topic, or adds partitions. Then records of a key may go to another
     * partition than before.
     *
     * @throws dev.blobshuffle.log.failure.TopicAbsentException there is no such topic
     * @throws IllegalArgumentException it has more partitions already
     */
    void change(Topic topic);

    /**
     * Deletes a topic and, in time, its records.
     *
     * @return whether there was such a topic
     */
    boolean delete(String name);
}
