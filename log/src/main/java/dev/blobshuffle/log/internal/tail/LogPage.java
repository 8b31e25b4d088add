package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;

/**
 * Consecutive batches of a topic.
 *
 * @param batches in order, without holes
 * @param source the source of the page
 */
public record LogPage(List<SequencedBatch> batches, Source source) {
    /** The source of a page. */
    public enum Source {
        /** The log itself, which compared the reader's bookmark if the request had one. */
        LOG,
        /** A member of the zone, whose log may differ from the current one. */
        MEMBER
    }

    /** Bytes of entries. */
    public long bytes() {
        return bytes(batches);
    }

    /** Bytes of the entries of batches. */
    public static long bytes(List<SequencedBatch> batches) {
        return batches.stream().mapToLong(batch -> batch.entries().length).sum();
    }
}
