package dev.blobshuffle.log.internal;

import java.util.Optional;

/**
 * A request for batches of a topic.
 *
 * @param topic the topic's number
 * @param from the first sequence to read
 * @param maxBatches the most batches to return, 1 or more
 * @param maxBytes after this many bytes of entries no further batch is returned; at least one is
 * @param last the last batch that the caller has read; the log checks that it still has the same
 *     one
 */
public record ReadRequest(int topic, long from, int maxBatches, long maxBytes, Optional<Bookmark> last) {
    /** Checks the limits. */
    public ReadRequest {
        if (from < 0 || maxBatches < 1 || maxBytes < 1) {
            throw new IllegalArgumentException("Cannot read a topic: from " + from + ", at most " + maxBatches
                    + " batches and " + maxBytes + " bytes.");
        }
    }
}
