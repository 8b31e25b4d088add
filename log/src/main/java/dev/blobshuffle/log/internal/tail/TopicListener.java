package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.TopicState;

/** Hears from a {@link LogWatch} about one topic, on any thread. Must not block. */
interface TopicListener {
    /** Where the topic begins and ends. An answer may be a little older than a read. */
    void looked(TopicState state);

    /** The topic may have more batches than known. */
    void hinted();

    /** The topic does not exist any more. */
    void absent();

    /** The log did not answer: from now on it may be another one. */
    void interrupted();
}
