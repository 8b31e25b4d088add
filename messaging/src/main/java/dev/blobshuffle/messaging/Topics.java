package dev.blobshuffle.messaging;

import java.util.List;
import java.util.Optional;

/**
 * The topics of a log. Thread-safe. Each call asks the log, and throws {@code LogUnavailable} if it
 * does not answer.
 */
public interface Topics {
    /**
     * Creates a topic.
     *
     * @return whether it is new; if not, the one that exists is unchanged
     */
    boolean create(Topic topic);

    /** The topic of a name. */
    Optional<Topic> find(String name);

    /** All topics, by name. */
    List<Topic> list();

    /**
     * Changes the retention of a topic, or adds partitions. Records of a key may go to another
     * partition afterwards.
     *
     * @throws dev.blobshuffle.log.failure.TopicAbsent there is none
     * @throws IllegalArgumentException it has more partitions already
     */
    void change(Topic topic);

    /**
     * Deletes a topic and, in time, its records.
     *
     * @return whether there was one
     */
    boolean delete(String name);
}
