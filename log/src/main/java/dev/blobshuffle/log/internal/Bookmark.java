package dev.blobshuffle.log.internal;

import dev.blobshuffle.core.internal.format.Checksum;

/**
 * Identifies the last batch that a reader has read, so that the log can detect that it went back.
 *
 * @param sequence of the batch
 * @param id of the batch
 * @param checksum CRC32C over the batch's entries
 */
public record Bookmark(long sequence, long id, int checksum) {
    /** The bookmark at a batch. */
    public static Bookmark at(SequencedBatch batch) {
        return new Bookmark(batch.sequence(), batch.id(), Checksum.of(batch.entries(), 0, batch.entries().length));
    }
}
