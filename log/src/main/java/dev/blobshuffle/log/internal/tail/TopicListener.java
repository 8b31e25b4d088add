package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.TopicState;

/** Gets reports of a {@link LogWatch} about one topic, on any thread. Must not block. */
interface TopicListener {
    /** The topic's start and end. An answer may be slightly older than a read. */
    void looked(TopicState state);

    /** The topic may have new batches. */
    void hinted();

    /** The topic does not exist any more. */
    void absent();

    /** The log did not answer: from now on it may be a different one. */
    void interrupted();
}
