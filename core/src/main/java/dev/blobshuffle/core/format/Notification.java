package dev.blobshuffle.core.format;

/**
 * The small reference that travels through the engine's channel instead of the records of one segment. It carries exactly what a reader needs
 * for one range read, and to check it. At most 64 bytes in practice; bytes: {@code docs/format.md}.
 *
 * @param blob the blob that holds the segment
 * @param store the 4-byte fingerprint of the store that holds the blob ({@code BlobStore.fingerprint()})
 * @param sectionOffset where the zone's section starts in the blob, bytes
 * @param sectionLength length of the section, bytes
 * @param segmentOffset where the segment starts in the blob, bytes (inside the section)
 * @param segmentLength length of the segment, bytes
 * @param records number of records in the segment, 1 to {@link #MAX_RECORDS}
 * @param codec the compression that the segment's frames may use: a reader without it fails before it reads
 * @param checksum CRC32C over the segment's frame headers, each of which holds the CRC32C of its body
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
        int checksum) {
    /** The largest number of records in a segment: positions inside it take 20 bits. */
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
}
