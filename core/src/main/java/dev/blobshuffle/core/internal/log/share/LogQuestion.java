package dev.blobshuffle.core.internal.log.share;

import dev.blobshuffle.core.internal.log.Bookmark;
import java.util.UUID;

/**
 * What a member asks another one: the batches after one that it has.
 *
 * @param log the asker's log
 * @param topic the topic's number
 * @param after the batch before those that are asked for
 * @param maxBytes after this many bytes of entries no further batch is sent; at least one is, if
 *     there is any
 */
public record LogQuestion(UUID log, int topic, Bookmark after, int maxBytes) {
    /** The most bytes that can be asked for. */
    public static final int MOST_BYTES = 1 << 20;

    /** The most batches of a page. */
    public static final int MOST_BATCHES = 500;

    /** Checks the numbers. */
    public LogQuestion {
        if (topic < 0
                || after.sequence() < 0
                || after.sequence() == Long.MAX_VALUE
                || maxBytes < 1
                || maxBytes > MOST_BYTES) {
            throw new IllegalArgumentException("Cannot ask for batches of topic " + topic + " after " + after.sequence()
                    + ", at most " + maxBytes + " bytes. Give 1 to " + MOST_BYTES + " bytes.");
        }
    }

    /** The sequence of the first batch that is asked for. */
    public long from() {
        return after.sequence() + 1;
    }
}
