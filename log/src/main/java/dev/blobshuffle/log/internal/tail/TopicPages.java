package dev.blobshuffle.log.internal.tail;

import java.util.concurrent.CompletionStage;

/** Supplies the pages of one topic to the ring of an instance, one at a time. Thread-safe. */
@FunctionalInterface
public interface TopicPages {
    /**
     * Reads a page. Fails as a read of the log does, and only if the log itself failed. A page of a
     * member begins at the requested batch and has no holes.
     */
    CompletionStage<LogPage> read(NextPage wanted);
}
