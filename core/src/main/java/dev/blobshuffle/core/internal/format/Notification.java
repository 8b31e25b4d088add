package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import java.util.Optional;

/**
 * The small reference to a segment that the engine's channel carries instead of the segment's
 * records. It contains what a reader needs to read the segment in one range read and to check it.
 * In practice it has at most 64 bytes; {@code docs/format.md} describes them.
 *
 * @param blob the blob that holds the segment
 * @param store the 4-byte fingerprint of the store that holds the blob
 *     ({@code BlobStore.fingerprint()})
 * @param sectionOffset start of the zone's section in the blob, bytes
 * @param sectionLength length of the section, bytes
 * @param segmentOffset start of the segment in the blob (inside the section), bytes
 * @param segmentLength length of the segment, bytes
 * @param records number of records in the segment, 1 to {@link #MAX_RECORDS}
 * @param codec the compression that the segment's frames may use; a reader without the codec fails
 *     before the read
 * @param checksum CRC32C over the segment's frame headers, each of which holds the CRC32C of its
 *     body
 * @param binding the partition that the segment belongs to, and its key; empty in version 1
 */
public record Notification(
        BlobId blob,
        int store,
        long sectionOffset,
        long sectionLength,
        long segmentOffset,
        long segmentLength,
        int records,
        Codec codec,
        int checksum,
        Optional<Binding> binding) {
    /** The largest number of records in a segment. Positions inside a segment take 20 bits. */
    public static final int MAX_RECORDS = (1 << 20) - 1;

    /** Checks that the segment lies in the section and holds a legal number of records. */
    public Notification {
        boolean inside = sectionOffset >= 0
                && sectionLength > 0
                && sectionLength <= Long.MAX_VALUE - sectionOffset
                && segmentOffset >= sectionOffset
                && segmentLength > 0
                && segmentLength <= sectionOffset + sectionLength - segmentOffset;
        if (!inside || records < 1 || records > MAX_RECORDS) {
            throw new IllegalArgumentException(
                    "Cannot form a notification: segment [" + segmentOffset + ", +" + segmentLength + ") of section ["
                            + sectionOffset + ", +" + sectionLength + ") with " + records + " records.");
        }
    }

    /** A notification of version 1, whose segment is bound to no partition. */
    public Notification(
            BlobId blob,
            int store,
            long sectionOffset,
            long sectionLength,
            long segmentOffset,
            long segmentLength,
            int records,
            Codec codec,
            int checksum) {
        this(
                blob,
                store,
                sectionOffset,
                sectionLength,
                segmentOffset,
                segmentLength,
                records,
                codec,
                checksum,
                Optional.empty());
    }

    /**
     * Whether the segment belongs to a partition. A segment of version 1 belongs to any partition.
     */
    public boolean belongsTo(Partition partition) {
        return binding.isEmpty() || binding.get().tag() == Binding.tag(partition);
    }

    /** Id of the key that the segment is encrypted with; empty if it is not encrypted. */
    public Optional<String> key() {
        return binding.flatMap(Binding::key);
    }
}
