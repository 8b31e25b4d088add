package dev.blobshuffle.log.internal.tail;

import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.List;

/**
 * Some consecutive batches of a topic.
 *
 * @param batches in order, without holes
 * @param source where they come from
 */
public record LogPage(List<SequencedBatch> batches, Source source) {
    /** Where a page comes from. */
    public enum Source {
        /** The log itself, which compared the reader's bookmark if the request had one. */
        LOG,
        /** A member of the zone, which may know another log than the one that is there now. */
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
