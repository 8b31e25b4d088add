package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Encodes and decodes the footer and trailer of a blob of Arrow or opaque content: {@code
 * docs/format.md}, "Footer of other content". Stateless.
 */
public final class ContainerCodec {
    private static final int ROWS = 1;
    private static final int RAW_LENGTH = 2;
    private static final int FRAMES = 4;
    private static final int PARTITIONS = 8;
    private static final int ALL_COLUMNS = ROWS | RAW_LENGTH | FRAMES | PARTITIONS;

    private static final int MIN_NAME_LENGTH = 2;
    private static final int MIN_ORIGIN_LENGTH = 3;
    private static final int MIN_SEGMENT_LENGTH = 3 + Integer.BYTES;
    private static final int MIN_SECTION_LENGTH = 2 + MIN_SEGMENT_LENGTH;
    private static final int MIN_FRAME_LENGTH = 1 + Integer.BYTES;

    private ContainerCodec() {}

    /** Footer and trailer of a blob. */
    static byte[] encode(Container container) {
        return new Encoder(container).encode();
    }

    /**
     * The footer of a blob of Arrow or opaque content.
     *
     * @param tail the blob's last bytes, {@link Trailer#tailLength} or more; not moved
     * @param blobLength the blob's length, bytes
     * @throws BlobCorruptException fatal: the bytes are damaged, or the blob holds records
     */
    public static Container decode(ByteBuffer tail, long blobLength) {
        Trailer trailer = Trailer.read(tail);
        if (trailer.kind() == ContentKind.RECORDS) {
            throw new BlobCorruptException(
                    "Cannot read the content of a blob: it holds records. Read it as a blob of records.");
        }
        byte[] bytes = trailer.footer(tail);
        try {
            ByteReader reader = new ByteReader(bytes, 0, trailer.footerLength(), "the footer of a blob");
            Container container = new Decoder(reader, trailer.kind(), trailer.version()).decode();
            long footerStart = blobLength - trailer.tailLength();
            if (container.contentEnd() != footerStart) {
                throw Trailer.corrupt(
                        "its content ends at " + container.contentEnd() + ", and its footer starts at " + footerStart);
            }
            return container;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw FooterCodec.contradicts(e);
        }
    }

    /** Writes one footer. */
    private static final class Encoder {
        private final Container container;
        private final ByteWriter writer = new ByteWriter();
        private final Map<String, Integer> names = new LinkedHashMap<>();
        private final Map<Container.Origin, Integer> origins = new LinkedHashMap<>();

        Encoder(Container container) {
            this.container = container;
            for (BlobSection section : container.sections()) {
                names.putIfAbsent(section.zone().name(), names.size());
            }
            for (Container.Segment segment : container.segments()) {
                segment.origin().ifPresent(origin -> {
                    names.putIfAbsent(origin.shuffle(), names.size());
                    origins.putIfAbsent(origin, origins.size());
                });
            }
        }

        byte[] encode() {
            writer.fixedLong(container.id().generation());
            writer.fixedLong(container.id().ownerAndWriter());
            writer.fixedLong(container.id().sequence());
            writer.fixedLong(container.createdMillis());
            writer.fixedInt(container.store());
            int columns = columns();
            writer.varlong(columns);
            container.partitions().ifPresent(writer::varlong);
            writer.varlong(names.size());
            names.keySet().forEach(writer::string);
            writer.varlong(origins.size());
            for (Container.Origin origin : origins.keySet()) {
                writer.varlong(index(names, origin.shuffle()));
                writer.varlong(origin.map());
                writer.varlong(origin.attempt());
            }
            piece(container.prelude());
            sections(columns);
            piece(container.postlude());
            return Trailer.append(writer, container.kind(), Footer.version(container.id()));
        }

        private int columns() {
            int columns = container.partitions().isPresent() ? PARTITIONS : 0;
            for (Container.Segment segment : container.segments()) {
                columns |= segment.rows().isPresent() ? ROWS : 0;
                columns |= segment.rawLength().isPresent() ? RAW_LENGTH : 0;
                columns |= segment.frames().isEmpty() ? 0 : FRAMES;
            }
            return columns;
        }

        private void piece(Optional<Container.Piece> piece) {
            writer.varlong(piece.map(Container.Piece::length).orElse(0));
            piece.ifPresent(present -> writer.fixedInt(present.checksum()));
        }

        private void sections(int columns) {
            int[] counts = new int[container.sections().size()];
            container.segments().forEach(segment -> counts[segment.section()]++);
            writer.varlong(counts.length);
            int next = 0;
            for (int i = 0; i < counts.length; i++) {
                BlobSection section = container.sections().get(i);
                writer.varlong(index(names, section.zone().name()));
                writer.varlong(counts[i]);
                int partition = 0;
                long end = section.offset();
                for (int j = 0; j < counts[i]; j++) {
                    Container.Segment segment = container.segments().get(next++);
                    writer.varlong(Varint.zigzag((long) segment.partition() - partition));
                    writer.varlong(segment.offset() - end);
                    segment(segment, columns);
                    partition = segment.partition();
                    end = segment.offset() + segment.length();
                }
            }
        }

        private void segment(Container.Segment segment, int columns) {
            writer.varlong(segment.length());
            writer.fixedInt(segment.checksum());
            if (origins.size() > 1) {
                writer.varlong(index(origins, segment.origin().orElseThrow()));
            }
            segment.rows().ifPresent(writer::varlong);
            segment.rawLength().ifPresent(writer::varlong);
            if ((columns & FRAMES) != 0) {
                writer.varlong(segment.frames().size());
                for (Container.Frame frame : segment.frames()) {
                    writer.varlong(frame.length());
                    writer.fixedInt(frame.checksum());
                }
            }
        }

        private static <K> int index(Map<K, Integer> table, K entry) {
            Integer index = table.get(entry);
            if (index == null) {
                throw new IllegalStateException("Cannot write a footer: an entry is not in its table.");
            }
            return index;
        }
    }

    /** Reads one footer. It allocates memory in proportion to the bytes that it has read. */
    private static final class Decoder {
        private final ByteReader reader;
        private final ContentKind kind;
        private final int version;
        private final List<String> names = new ArrayList<>();
        private final List<Optional<Container.Origin>> origins = new ArrayList<>();
        private final List<BlobSection> sections = new ArrayList<>();
        private final List<Container.Segment> segments = new ArrayList<>();

        /** The start of the next part in the blob. */
        private long end;

        Decoder(ByteReader reader, ContentKind kind, int version) {
            this.reader = reader;
            this.version = version;
            this.kind = kind;
        }

        Container decode() {
            BlobId id = FooterCodec.id(version, reader);
            long createdMillis = reader.fixedLong();
            int store = reader.fixedInt();
            int columns = reader.varint();
            if ((columns & ~ALL_COLUMNS) != 0) {
                throw new BlobCorruptException("Cannot read the footer of a blob: it has columns " + columns
                        + ", this reader knows " + ALL_COLUMNS + ". Upgrade the reader.");
            }
            OptionalInt partitions =
                    (columns & PARTITIONS) == 0 ? OptionalInt.empty() : OptionalInt.of(reader.varint());
            tables();
            Optional<Container.Piece> prelude = piece();
            int sectionCount = reader.count(MIN_SECTION_LENGTH);
            for (int i = 0; i < sectionCount; i++) {
                section(columns);
            }
            Optional<Container.Piece> postlude = piece();
            reader.end();
            return new Container(id, store, createdMillis, kind, partitions, prelude, sections, segments, postlude);
        }

        private void tables() {
            int nameCount = reader.count(MIN_NAME_LENGTH);
            for (int i = 0; i < nameCount; i++) {
                names.add(reader.string());
            }
            int originCount = reader.count(MIN_ORIGIN_LENGTH);
            for (int i = 0; i < originCount; i++) {
                Container.Origin origin =
                        new Container.Origin(entry(names, reader.varint()), reader.varlong(), reader.varlong());
                origins.add(Optional.of(origin));
            }
        }

        private Optional<Container.Piece> piece() {
            int length = reader.varint();
            if (length == 0) {
                return Optional.empty();
            }
            Container.Piece piece = new Container.Piece(end, length, reader.fixedInt());
            end = Math.addExact(end, length);
            return Optional.of(piece);
        }

        private void section(int columns) {
            Zone zone = new Zone(entry(names, reader.varint()));
            int count = reader.count(MIN_SEGMENT_LENGTH);
            long start = end;
            int partition = 0;
            for (int i = 0; i < count; i++) {
                long next = Math.addExact(partition, Varint.unzigzag(reader.varlong()));
                partition = Math.toIntExact(next);
                end = Math.addExact(end, reader.varlong());
                Container.Segment segment = segment(partition, columns);
                segments.add(segment);
                end = Math.addExact(end, segment.length());
            }
            sections.add(new BlobSection(zone, start, end - start));
        }

        private Container.Segment segment(int partition, int columns) {
            long length = reader.varlong();
            int checksum = reader.fixedInt();
            Optional<Container.Origin> origin = switch (origins.size()) {
                case 0 -> Optional.empty();
                case 1 -> origins.get(0);
                default -> entry(origins, reader.varint());
            };
            OptionalLong rows = (columns & ROWS) == 0 ? OptionalLong.empty() : OptionalLong.of(reader.varlong());
            OptionalLong rawLength =
                    (columns & RAW_LENGTH) == 0 ? OptionalLong.empty() : OptionalLong.of(reader.varlong());
            List<Container.Frame> frames = (columns & FRAMES) == 0 ? List.of() : frames();
            return new Container.Segment(
                    sections.size(), partition, end, length, checksum, origin, rows, rawLength, frames);
        }

        private List<Container.Frame> frames() {
            int count = reader.count(MIN_FRAME_LENGTH);
            List<Container.Frame> frames = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                frames.add(new Container.Frame(reader.varint(), reader.fixedInt()));
            }
            return frames;
        }

        private <T> T entry(List<T> table, int index) {
            if (index >= table.size()) {
                throw reader.corrupt("entry " + index + " of " + table.size() + " is used");
            }
            return table.get(index);
        }
    }
}
