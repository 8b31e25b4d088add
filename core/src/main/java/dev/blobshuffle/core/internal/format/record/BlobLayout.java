package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * A blob that is ready to be stored: the buffers with its bytes, which refer to the bodies without
 * a copy, and a notification per segment. Immutable; the caller owns the bodies' arrays.
 *
 * @param id the blob
 * @param length total length, bytes
 * @param buffers the bytes, in order, at position 0. Each reader duplicates the buffers and never
 *     writes to them
 * @param notifications one notification per segment, in the order of the segments
 * @param sections the part for each zone, in order
 */
public record BlobLayout(
        BlobId id,
        long length,
        List<ByteBuffer> buffers,
        List<Notification> notifications,
        List<BlobSection> sections) {
    /** Copies the lists. {@link #of} creates layouts. */
    public BlobLayout {
        buffers = List.copyOf(buffers);
        notifications = List.copyOf(notifications);
        sections = List.copyOf(sections);
    }

    /**
     * Lays out a blob.
     *
     * @param store the store's fingerprint, for the notifications
     * @param createdMillis wall clock, milliseconds since the Unix epoch; for inspection
     * @param segments the segments, 1 or more, in the order of the blob, with those of a zone next
     *     to each other
     */
    public static BlobLayout of(BlobId id, int store, long createdMillis, List<SegmentSource> segments) {
        if (segments.isEmpty()) {
            throw new IllegalArgumentException("Cannot lay out blob " + id + ": it has no segments.");
        }
        Frames frames = new Frames(segments);
        Optional<String> key = key(segments);
        List<BlobSection> sections = sections(segments);
        List<Footer.Segment> table = new ArrayList<>(segments.size());
        int section = 0;
        for (SegmentSource source : segments) {
            if (!sections.get(section).zone().equals(source.zone())) {
                section++;
            }
            table.add(frames.append(source, section));
        }
        Footer footer = new Footer(id, store, createdMillis, Footer.version(id), key, sections, table);
        List<Notification> notifications =
                footer.segments().stream().map(footer::notification).toList();
        List<ByteBuffer> buffers = frames.finish(FooterCodec.encode(footer));
        return new BlobLayout(id, frames.length, buffers, notifications, sections);
    }

    private static Optional<String> key(List<SegmentSource> segments) {
        SealedFrame sealed = segments.get(0).frames().get(0).sealed();
        return sealed == null ? Optional.empty() : Optional.of(sealed.key());
    }

    private static List<BlobSection> sections(List<SegmentSource> segments) {
        List<BlobSection> sections = new ArrayList<>();
        Set<Zone> seen = new HashSet<>();
        long start = 0;
        long end = 0;
        for (int i = 0; i < segments.size(); i++) {
            Zone zone = segments.get(i).zone();
            end += segments.get(i).length();
            boolean last =
                    i + 1 == segments.size() || !segments.get(i + 1).zone().equals(zone);
            if (last) {
                if (!seen.add(zone)) {
                    throw new IllegalArgumentException("Cannot lay out a blob: the segments of zone " + zone.name()
                            + " do not lie next to each other. Order them by zone.");
                }
                sections.add(new BlobSection(zone, start, end - start));
                start = end;
            }
        }
        return sections;
    }

    /**
     * The growing list of buffers. Bodies are added by reference; headers, tags and padding share
     * one array.
     */
    private static final class Frames {
        private final List<ByteBuffer> buffers = new ArrayList<>();

        /** Headers, tags and padding. The bytes between two bodies form one buffer. */
        private final byte[] between;

        private int betweenStart;
        private int betweenEnd;
        private long length;

        Frames(List<SegmentSource> segments) {
            int size = 0;
            for (SegmentSource segment : segments) {
                for (Frame frame : segment.frames()) {
                    size += frame.storedLength() - frame.length();
                }
            }
            between = new byte[size];
        }

        /** Appends the frames of a segment, and returns its entry in the footer. */
        Footer.Segment append(SegmentSource source, int section) {
            long start = length;
            CRC32C headers = new CRC32C();
            Codec codec = Codec.NONE;
            int tag = Binding.tag(source.partition());
            for (Frame frame : source.frames()) {
                FrameHeader.write(frame, tag, between, betweenEnd);
                headers.update(between, betweenEnd, Frame.HEADER_LENGTH);
                betweenEnd += Frame.HEADER_LENGTH;
                flushBetween();
                buffers.add(ByteBuffer.wrap(frame.array(), frame.offset(), frame.length())
                        .slice());
                SealedFrame sealed = frame.sealed();
                if (sealed != null) {
                    if (sealed.position() != length) {
                        throw new IllegalStateException("Cannot lay out a blob: a frame was encrypted for offset "
                                + sealed.position() + " and lies at " + length + ".");
                    }
                    sealed.writeTag(between, betweenEnd);
                }
                betweenEnd += Frame.align(frame.encodedLength()) - frame.length();
                length += frame.storedLength();
                codec = frame.codec() == Codec.NONE ? codec : frame.codec();
            }
            return new Footer.Segment(
                    section,
                    source.partition(),
                    source.lane(),
                    start,
                    length - start,
                    source.records(),
                    source.minTimestamp(),
                    source.maxTimestamp(),
                    codec,
                    (int) headers.getValue());
        }

        List<ByteBuffer> finish(byte[] footerAndTrailer) {
            flushBetween();
            buffers.add(ByteBuffer.wrap(footerAndTrailer));
            length += footerAndTrailer.length;
            return buffers;
        }

        private void flushBetween() {
            if (betweenEnd > betweenStart) {
                buffers.add(ByteBuffer.wrap(between, betweenStart, betweenEnd - betweenStart)
                        .slice());
                betweenStart = betweenEnd;
            }
        }
    }
}
