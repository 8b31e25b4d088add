package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import java.util.List;
import java.util.Optional;

/**
 * The footer of a blob of records ({@code docs/format.md}, "Footer"), for inspection, recovery and
 * batch readers. The streaming read path needs only notifications.
 *
 * @param id the blob
 * @param store fingerprint of the store that the blob was written for
 * @param createdMillis the writer's wall clock, milliseconds since the Unix epoch
 * @param version the version of the blob's format
 * @param key id of the key that the frames are encrypted with; empty if they are not encrypted
 * @param sections the parts per zone, in order; they cover the blob from its start without gaps
 * @param segments the parts per (partition, lane), in order; they cover the sections without gaps
 */
public record Footer(
        BlobId id,
        int store,
        long createdMillis,
        int version,
        Optional<String> key,
        List<BlobSection> sections,
        List<Segment> segments) {
    /** The newest version that can be read. */
    public static final int VERSION = 3;

    /** The first version whose ids name an owner. */
    static final int FIRST_OWNED = 3;

    /** The first version whose frames are bound to their partition. */
    private static final int FIRST_BOUND = 2;

    /** Checks that sections and segments cover the blob without gaps. */
    public Footer {
        sections = List.copyOf(sections);
        segments = List.copyOf(segments);
        long sectionEnd = 0;
        for (BlobSection section : sections) {
            require(section.offset() == sectionEnd && section.length() > 0, "section", section);
            sectionEnd = Math.addExact(sectionEnd, section.length());
        }
        long end = 0;
        int last = -1;
        for (Segment segment : segments) {
            require(segment.offset() == end && segment.length() > 0, "segment", segment);
            require(segment.section() == last || segment.section() == last + 1, "segment", segment);
            require(segment.section() < sections.size(), "segment", segment);
            BlobSection section = sections.get(segment.section());
            require(segment.section() == last || segment.offset() == section.offset(), "segment", segment);
            end = Math.addExact(end, segment.length());
            require(end <= section.end(), "segment", segment);
            last = segment.section();
        }
        require(end == sectionEnd && last == sections.size() - 1, "end of segments", end);
    }

    /** The version in which a blob is written: the oldest one that can represent its id. */
    public static int version(BlobId id) {
        return id.owner() == BlobId.NO_OWNER ? FIRST_BOUND : FIRST_OWNED;
    }

    private static void require(boolean sound, String what, Object value) {
        if (!sound) {
            throw new IllegalArgumentException("Cannot form a footer: " + what + " out of place, " + value + ".");
        }
    }

    /** Offset of the first byte after the last segment. */
    public long segmentsEnd() {
        return sections.isEmpty() ? 0 : sections.get(sections.size() - 1).end();
    }

    /** The notification of one of the segments. */
    public Notification notification(Segment segment) {
        Optional<Binding> binding = version < FIRST_BOUND
                ? Optional.empty()
                : Optional.of(new Binding(Binding.tag(segment.partition()), key));
        return segment.notification(id, store, sections.get(segment.section()), binding);
    }

    /**
     * The part of a blob for one partition, from one lane.
     *
     * @param section index of its section
     * @param partition the partition of its records
     * @param lane name of the lane that appended them
     * @param offset start in the blob, bytes
     * @param length length, bytes
     * @param records number of records
     * @param minTimestamp smallest timestamp, milliseconds
     * @param maxTimestamp largest timestamp, milliseconds
     * @param codec the compression that its frames may use
     * @param checksum CRC32C over its frame headers
     */
    public record Segment(
            int section,
            Partition partition,
            String lane,
            long offset,
            long length,
            int records,
            long minTimestamp,
            long maxTimestamp,
            Codec codec,
            int checksum) {
        /** Checks the numbers. */
        public Segment {
            if (section < 0 || records < 1 || records > Notification.MAX_RECORDS || minTimestamp > maxTimestamp) {
                throw new IllegalArgumentException("Cannot form a segment of " + partition + ": section " + section
                        + ", " + records + " records, timestamps " + minTimestamp + " to " + maxTimestamp + ".");
            }
        }

        Notification notification(BlobId id, int store, BlobSection in, Optional<Binding> binding) {
            return new Notification(
                    id, store, in.offset(), in.length(), offset, length, records, codec, checksum, binding);
        }
    }
}
