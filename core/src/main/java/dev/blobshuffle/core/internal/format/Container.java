package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The footer of a blob of Arrow or opaque content ({@code docs/format.md}, "Footer of other
 * content"). {@link ContainerWriter} creates it, {@link ContainerReader} reads by it. Immutable.
 *
 * @param id the blob
 * @param store fingerprint of the store that the blob was written for
 * @param createdMillis the writer's wall clock, milliseconds since the Unix epoch
 * @param kind the content kind of the segments; not {@link ContentKind#RECORDS}
 * @param partitions the number of partitions of the shuffle; empty if the blob does not state it
 * @param prelude the bytes before the first section
 * @param sections the parts per zone, in order
 * @param segments the parts per partition, in order
 * @param postlude the bytes after the last section
 */
public record Container(
        BlobId id,
        int store,
        long createdMillis,
        ContentKind kind,
        OptionalInt partitions,
        Optional<Piece> prelude,
        List<BlobSection> sections,
        List<Segment> segments,
        Optional<Piece> postlude) {
    /** The longest prelude and postlude, bytes. */
    public static final int MAX_PIECE_LENGTH = 16 << 20;

    /** The longest frame, and the longest segment without frames, bytes: the size of an array. */
    public static final int MAX_FRAME_LENGTH = Integer.MAX_VALUE - 8;

    /**
     * Lengths and offsets of Arrow content are multiples of this, bytes. A segment has at most one
     * byte less of zero padding before it.
     */
    static final int ALIGNMENT = 8;

    /** The end-of-stream marker of Arrow IPC. Bytes after it are not part of the stream. */
    static final byte[] ARROW_END = {-1, -1, -1, -1, 0, 0, 0, 0};

    /** Checks that the parts follow each other, and the requirements of Arrow. */
    public Container {
        sections = List.copyOf(sections);
        segments = List.copyOf(segments);
        require(kind != ContentKind.RECORDS, "content kind", kind);
        long end = prelude.map(Piece::length).orElse(0);
        require(prelude.isEmpty() || prelude.get().offset() == 0, "prelude", prelude);
        end = checkSegments(end, sections, segments);
        require(postlude.isEmpty() || postlude.get().offset() == end, "postlude", postlude);
        checkColumns(segments);
        checkPartitions(partitions, segments);
        if (kind == ContentKind.ARROW) {
            checkArrow(prelude, segments, postlude);
        }
    }

    /** Checks that sections and segments follow each other; returns their end. */
    private static long checkSegments(long start, List<BlobSection> sections, List<Segment> segments) {
        Set<Zone> zones = new HashSet<>();
        long end = start;
        int next = 0;
        for (int i = 0; i < sections.size(); i++) {
            BlobSection section = sections.get(i);
            require(zones.add(section.zone()) && section.offset() == end, "section", section);
            int first = next;
            while (next < segments.size() && segments.get(next).section() == i) {
                Segment segment = segments.get(next++);
                long gap = segment.offset() - end;
                require(gap >= 0 && gap < ALIGNMENT, "segment", segment);
                end = Math.addExact(segment.offset(), segment.length());
            }
            require(next > first && section.length() == end - section.offset(), "section", section);
        }
        require(next == segments.size(), "end of segments", next);
        return end;
    }

    /**
     * Checks that all segments have the same optional fields, and that the sum of their rows does
     * not overflow.
     */
    private static void checkColumns(List<Segment> segments) {
        long rows = 0;
        for (Segment segment : segments) {
            Segment first = segments.get(0);
            boolean isAlike = segment.origin().isPresent() == first.origin().isPresent()
                    && segment.rows().isPresent() == first.rows().isPresent()
                    && segment.rawLength().isPresent() == first.rawLength().isPresent();
            require(isAlike, "optional fields of a segment", segment);
            rows = Math.addExact(rows, segment.rows().orElse(0));
        }
    }

    private static void checkPartitions(OptionalInt partitions, List<Segment> segments) {
        if (partitions.isPresent()) {
            require(partitions.getAsInt() >= 1, "number of partitions", partitions);
            for (Segment segment : segments) {
                require(segment.partition() < partitions.getAsInt(), "partition of a segment", segment);
            }
        }
    }

    private static void checkArrow(Optional<Piece> prelude, List<Segment> segments, Optional<Piece> postlude) {
        require(prelude.isPresent() && isAligned(prelude.get().length()), "prelude", prelude);
        boolean isEnd = postlude.isPresent()
                && postlude.get().length() == ARROW_END.length
                && postlude.get().checksum() == Checksum.of(ARROW_END, 0, ARROW_END.length);
        require(isEnd, "postlude", postlude);
        for (Segment segment : segments) {
            // With padding before it, the offset would not be a multiple.
            require(isAligned(segment.offset()) && isAligned(segment.length()), "segment", segment);
            require(segment.rows().isPresent(), "segment", segment);
            for (Frame frame : segment.frames()) {
                require(isAligned(frame.length()), "frame", frame);
            }
        }
    }

    private static boolean isAligned(long length) {
        return length % ALIGNMENT == 0;
    }

    private static void require(boolean sound, String what, Object value) {
        if (!sound) {
            throw new IllegalArgumentException("Cannot form a blob: " + what + " out of place, " + value + ".");
        }
    }

    /** Offset of the first byte after the content, where the footer starts. */
    public long contentEnd() {
        return postlude.map(piece -> piece.offset() + piece.length()).orElseGet(this::segmentsEnd);
    }

    private long segmentsEnd() {
        return sections.isEmpty()
                ? prelude.map(Piece::length).orElse(0)
                : sections.get(sections.size() - 1).end();
    }

    /** Number of rows of all segments; empty if the segments do not state it. */
    public OptionalLong rows() {
        boolean isStated = segments.stream().allMatch(segment -> segment.rows().isPresent());
        return isStated
                ? OptionalLong.of(segments.stream()
                        .mapToLong(segment -> segment.rows().getAsLong())
                        .sum())
                : OptionalLong.empty();
    }

    /**
     * Bytes that belong to no partition: prelude or postlude.
     *
     * @param offset start in the blob, bytes
     * @param length length, bytes; 1 or more
     * @param checksum CRC32C of its bytes
     */
    public record Piece(long offset, int length, int checksum) {
        /** Checks the length. */
        public Piece {
            if (length < 1 || length > MAX_PIECE_LENGTH) {
                throw new IllegalArgumentException("Cannot form a prelude or postlude: " + length
                        + " bytes, legal are 1 to " + MAX_PIECE_LENGTH + ".");
            }
        }
    }

    /**
     * The part of a blob for one partition, from one origin.
     *
     * @param section index of its section
     * @param partition number of the partition whose rows it holds
     * @param offset start in the blob, bytes
     * @param length length, bytes; 1 or more
     * @param checksum CRC32C of its bytes
     * @param origin the origin of the rows
     * @param rows number of rows
     * @param rawLength length without compression, bytes
     * @param frames the parts that can be read and checked separately, in order: none, or 2 or more
     *     that make up the segment
     */
    public record Segment(
            int section,
            int partition,
            long offset,
            long length,
            int checksum,
            Optional<Origin> origin,
            OptionalLong rows,
            OptionalLong rawLength,
            List<Frame> frames) {
        /** Checks the numbers. */
        public Segment {
            frames = List.copyOf(frames);
            long framed = 0;
            for (Frame frame : frames) {
                framed += frame.length();
            }
            boolean isDivided = frames.isEmpty() ? length <= MAX_FRAME_LENGTH : frames.size() > 1 && framed == length;
            if (section < 0
                    || partition < 0
                    || offset < 0
                    || length < 1
                    || rows.orElse(0) < 0
                    || rawLength.orElse(0) < 0
                    || !isDivided) {
                throw new IllegalArgumentException("Cannot form a segment of partition " + partition + ": [" + offset
                        + ", +" + length + ") with " + rows + " rows, " + rawLength + " raw bytes and " + frames.size()
                        + " frames of " + framed + " bytes.");
            }
        }

        /** The first byte after the segment. */
        public long end() {
            return offset + length;
        }

        /** Offset in the blob of the frame at an index from 0. */
        public long frameOffset(int index) {
            long at = offset;
            for (Frame frame : frames.subList(0, index)) {
                at += frame.length();
            }
            return at;
        }
    }

    /**
     * A part of a segment that can be read and checked separately.
     *
     * @param length length, bytes; 1 or more
     * @param checksum CRC32C of its bytes
     */
    public record Frame(int length, int checksum) {
        /** Checks the length. */
        public Frame {
            if (length < 1 || length > MAX_FRAME_LENGTH) {
                throw new IllegalArgumentException(
                        "Cannot form a frame: " + length + " bytes, legal are 1 to " + MAX_FRAME_LENGTH + ".");
            }
        }
    }

    /**
     * The origin of a segment.
     *
     * @param shuffle name of the shuffle, unique in the store; never blank
     * @param map index of the map that wrote the rows
     * @param attempt index of the map's attempt
     */
    public record Origin(String shuffle, long map, long attempt) {
        /** Checks the name and the numbers. */
        public Origin {
            if (shuffle.isBlank() || map < 0 || attempt < 0) {
                throw new IllegalArgumentException("Cannot name an origin: shuffle '" + shuffle + "', map " + map
                        + ", attempt " + attempt + ". The name must not be blank, the numbers not negative.");
            }
        }
    }
}
