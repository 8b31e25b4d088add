package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.combine.PartAnswer.Entry;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.FrameHeaders;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A blob made of the segments of several parts ({@code docs/format.md}, "Combined blob"). Its
 * buffers refer to the parts' bytes without a copy.
 *
 * @param buffers the blob's bytes, in order
 * @param sections its sections
 * @param answers one per part, in the order of the parts
 */
record CombinedBlob(List<ByteBuffer> buffers, List<BlobSection> sections, List<PartAnswer> answers) {
    /**
     * A segment of a part.
     *
     * @param part index of the part
     * @param index index of the segment in the part
     */
    private record Piece(int part, int index, Zone zone, Footer.Segment segment, ByteBuffer bytes) {
        /**
         * The segment's length and checksum by the bytes themselves, so that a contributor does not
         * recognize a segment that was exchanged.
         */
        Entry found() {
            return new Entry(bytes.remaining(), FrameHeaders.checksum(bytes, segment.partition()));
        }
    }

    private static final Comparator<Piece> ORDER = Comparator.comparing(
                    (Piece piece) -> piece.zone().name())
            .thenComparing(
                    piece -> piece.segment().partition(),
                    Comparator.comparing(Partition::stream).thenComparing(Partition::number));

    /**
     * Combines parts of one owner, generation and store.
     *
     * @param id the combined blob's id
     * @param createdMillis wall clock, milliseconds since the Unix epoch; for inspection
     * @param parts in the order of their arrival; 1 or more
     */
    static CombinedBlob of(BlobId id, long createdMillis, List<Part> parts) {
        List<Piece> pieces = pieces(parts);
        List<BlobSection> sections = sections(pieces);
        List<ByteBuffer> buffers = new ArrayList<>(pieces.size() + 1);
        pieces.forEach(piece -> buffers.add(piece.bytes()));
        Footer footer = new Footer(
                id,
                parts.get(0).footer().store(),
                createdMillis,
                Footer.version(id),
                Optional.empty(),
                sections,
                table(pieces, sections));
        buffers.add(ByteBuffer.wrap(FooterCodec.encode(footer)));
        List<Entry> found = pieces.stream().map(Piece::found).toList();
        List<PartAnswer> answers = places(parts, pieces).stream()
                .map(places -> new PartAnswer(id, sections, found, Arrays.asList(places)))
                .toList();
        return new CombinedBlob(buffers, sections, answers);
    }

    /** The segments of all parts, in the order of the blob. */
    private static List<Piece> pieces(List<Part> parts) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            List<Footer.Segment> segments = part.footer().segments();
            for (int index = 0; index < segments.size(); index++) {
                Footer.Segment segment = segments.get(index);
                Zone zone = part.footer().sections().get(segment.section()).zone();
                pieces.add(new Piece(i, index, zone, segment, part.segment(segment)));
            }
        }
        pieces.sort(ORDER); // Stable: segments of a partition keep the order of the parts.
        return pieces;
    }

    private static List<BlobSection> sections(List<Piece> pieces) {
        List<BlobSection> sections = new ArrayList<>();
        long start = 0;
        long end = 0;
        for (int i = 0; i < pieces.size(); i++) {
            Zone zone = pieces.get(i).zone();
            end += pieces.get(i).segment().length();
            if (i + 1 == pieces.size() || !pieces.get(i + 1).zone().equals(zone)) {
                sections.add(new BlobSection(zone, start, end - start));
                start = end;
            }
        }
        return sections;
    }

    private static List<Footer.Segment> table(List<Piece> pieces, List<BlobSection> sections) {
        List<Footer.Segment> table = new ArrayList<>(pieces.size());
        long offset = 0;
        int section = 0;
        for (Piece piece : pieces) {
            if (!sections.get(section).zone().equals(piece.zone())) {
                section++;
            }
            table.add(moved(piece.segment(), section, offset));
            offset += piece.segment().length();
        }
        return table;
    }

    private static Footer.Segment moved(Footer.Segment segment, int section, long offset) {
        return new Footer.Segment(
                section,
                segment.partition(),
                segment.lane(),
                offset,
                segment.length(),
                segment.records(),
                segment.minTimestamp(),
                segment.maxTimestamp(),
                segment.codec(),
                segment.checksum());
    }

    /** For each part, the indexes of its segments in the blob. */
    private static List<Integer[]> places(List<Part> parts, List<Piece> pieces) {
        List<Integer[]> places = new ArrayList<>();
        parts.forEach(part -> places.add(new Integer[part.footer().segments().size()]));
        for (int i = 0; i < pieces.size(); i++) {
            places.get(pieces.get(i).part())[pieces.get(i).index()] = i;
        }
        return places;
    }
}
