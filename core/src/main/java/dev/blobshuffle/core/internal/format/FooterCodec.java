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

/**
 * Encodes and decodes the footer and trailer of a blob of records: {@code docs/format.md}, "Footer"
 * and "Trailer". Stateless.
 */
public final class FooterCodec {
    private static final int MIN_SECTION_LENGTH = 2;
    private static final int MIN_SEGMENT_LENGTH = 13;

    private FooterCodec() {}

    /** Footer and trailer of a blob. */
    public static byte[] encode(Footer footer) {
        ByteWriter writer = new ByteWriter();
        writer.fixedLong(footer.id().generation());
        writer.fixedLong(footer.id().ownerAndWriter());
        writer.fixedLong(footer.id().sequence());
        writer.fixedLong(footer.createdMillis());
        writer.fixedInt(footer.store());
        writer.string(footer.key().orElse(""));
        Map<String, Integer> names = names(footer);
        writer.varlong(names.size());
        names.keySet().forEach(writer::string);
        writer.varlong(footer.sections().size());
        for (BlobSection section : footer.sections()) {
            writer.varlong(index(names, section.zone().name()));
            writer.varlong(section.length());
        }
        writer.varlong(footer.segments().size());
        footer.segments().forEach(segment -> writeSegment(writer, segment, names));
        return Trailer.append(writer, ContentKind.RECORDS, Footer.version(footer.id()));
    }

    private static void writeSegment(ByteWriter writer, Footer.Segment segment, Map<String, Integer> names) {
        writer.varlong(segment.section());
        writer.varlong(index(names, segment.partition().stream()));
        writer.varlong(segment.partition().number());
        writer.varlong(index(names, segment.lane()));
        writer.varlong(segment.length());
        writer.varlong(segment.records());
        writer.varlong(Varint.zigzag(segment.minTimestamp()));
        writer.varlong(segment.maxTimestamp() - segment.minTimestamp());
        writer.fixedByte(segment.codec().code());
        writer.fixedInt(segment.checksum());
    }

    private static Map<String, Integer> names(Footer footer) {
        Map<String, Integer> names = new LinkedHashMap<>();
        for (BlobSection section : footer.sections()) {
            names.putIfAbsent(section.zone().name(), names.size());
        }
        for (Footer.Segment segment : footer.segments()) {
            names.putIfAbsent(segment.partition().stream(), names.size());
            names.putIfAbsent(segment.lane(), names.size());
        }
        return names;
    }

    private static int index(Map<String, Integer> names, String name) {
        Integer index = names.get(name);
        if (index == null) {
            throw new IllegalStateException("Cannot write a footer: a name is not in its table.");
        }
        return index;
    }

    /**
     * The number of bytes at the end of a blob of records that hold footer and trailer.
     *
     * @param tail the blob's last bytes, {@link Trailer#LENGTH} or more; not moved
     * @throws BlobCorruptException fatal: the bytes are not the end of a blob, a newer version
     *     wrote them, or the blob holds no records
     */
    public static int tailLength(ByteBuffer tail) {
        return trailer(tail).tailLength();
    }

    private static Trailer trailer(ByteBuffer tail) {
        Trailer trailer = Trailer.read(tail);
        if (trailer.kind() != ContentKind.RECORDS) {
            throw new BlobCorruptException("Cannot read the records of a blob: it holds "
                    + trailer.kind().label() + ". Read it with the front door that wrote it.");
        }
        return trailer;
    }

    /**
     * The footer of a blob of records.
     *
     * @param tail the blob's last bytes, {@link #tailLength} or more; not moved
     * @param blobLength the blob's length, bytes
     * @throws BlobCorruptException fatal: the bytes are damaged, or the blob holds no records
     */
    public static Footer decode(ByteBuffer tail, long blobLength) {
        Trailer trailer = trailer(tail);
        byte[] bytes = trailer.footer(tail);
        try {
            ByteReader reader = new ByteReader(bytes, 0, trailer.footerLength(), "the footer of a blob");
            Footer footer = read(trailer.version(), reader);
            long segments = blobLength - trailer.tailLength();
            if (footer.segmentsEnd() != segments) {
                throw Trailer.corrupt(
                        "its segments end at " + footer.segmentsEnd() + ", and its footer starts at " + segments);
            }
            return footer;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw contradicts(e);
        }
    }

    /** The failure for a footer with a correct checksum and contradicting numbers. */
    static BlobCorruptException contradicts(RuntimeException failure) {
        return new BlobCorruptException(
                "Cannot read the footer of a blob: its numbers contradict each other. Its writer was faulty; report it.",
                failure);
    }

    /** The id at the start of every footer. */
    static BlobId id(int version, ByteReader reader) {
        long generation = reader.fixedLong();
        long writer = reader.fixedLong();
        long sequence = reader.fixedLong();
        return version < Footer.FIRST_OWNED
                ? new BlobId(generation, writer, sequence)
                : BlobId.owned(generation, writer, sequence);
    }

    private static Footer read(int version, ByteReader reader) {
        BlobId id = id(version, reader);
        long createdMillis = reader.fixedLong();
        int store = reader.fixedInt();
        Optional<String> key = version == Trailer.OLDEST_VERSION ? Optional.empty() : reader.keyId();
        int nameCount = reader.count(1);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nameCount; i++) {
            names.add(reader.string());
        }
        int sectionCount = reader.count(MIN_SECTION_LENGTH);
        List<BlobSection> sections = new ArrayList<>();
        long offset = 0;
        for (int i = 0; i < sectionCount; i++) {
            Zone zone = new Zone(name(names, reader));
            long length = reader.varlong();
            sections.add(new BlobSection(zone, offset, length));
            offset = Math.addExact(offset, length);
        }
        int segmentCount = reader.count(MIN_SEGMENT_LENGTH);
        List<Footer.Segment> segments = new ArrayList<>();
        offset = 0;
        for (int i = 0; i < segmentCount; i++) {
            Footer.Segment segment = readSegment(reader, names, offset);
            segments.add(segment);
            offset = Math.addExact(offset, segment.length());
        }
        reader.end();
        return new Footer(id, store, createdMillis, version, key, sections, segments);
    }

    private static Footer.Segment readSegment(ByteReader reader, List<String> names, long offset) {
        int section = reader.varint();
        Partition partition = new Partition(name(names, reader), reader.varint());
        String lane = name(names, reader);
        long length = reader.varlong();
        int records = reader.varint();
        long minTimestamp = Varint.unzigzag(reader.varlong());
        long maxTimestamp = minTimestamp + reader.varlong();
        Codec codec = Codec.of(reader.fixedByte(), () -> "the footer of a blob");
        return new Footer.Segment(
                section,
                partition,
                lane,
                offset,
                length,
                records,
                minTimestamp,
                maxTimestamp,
                codec,
                reader.fixedInt());
    }

    private static String name(List<String> names, ByteReader reader) {
        int index = reader.varint();
        if (index >= names.size()) {
            throw reader.corrupt("name " + index + " of " + names.size() + " is used");
        }
        return names.get(index);
    }
}
