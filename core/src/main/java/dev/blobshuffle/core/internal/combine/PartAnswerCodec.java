package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.combine.PartAnswer.Entry;
import dev.blobshuffle.core.internal.format.ByteReader;
import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;

/** Encodes and decodes the answer of a hub: {@code docs/format.md}, "Combined blob". Stateless. */
public final class PartAnswerCodec {
    private static final int CHECKSUM_LENGTH = 4;
    private static final int MIN_SECTION_LENGTH = 3;
    private static final int MIN_ENTRY_LENGTH = 5;
    private static final String WHAT = "the answer of a hub";

    private PartAnswerCodec() {}

    /** The answer's bytes. */
    public static byte[] encode(PartAnswer answer) {
        ByteWriter writer = new ByteWriter();
        writer.fixedLong(answer.id().generation());
        writer.fixedLong(answer.id().ownerAndWriter());
        writer.fixedLong(answer.id().sequence());
        writer.varlong(answer.sections().size());
        for (BlobSection section : answer.sections()) {
            writer.string(section.zone().name());
            writer.varlong(section.length());
        }
        writer.varlong(answer.table().size());
        for (Entry segment : answer.table()) {
            writer.varlong(segment.length());
            writer.fixedInt(segment.checksum());
        }
        writer.varlong(answer.places().size());
        answer.places().forEach(writer::varlong);
        writer.fixedInt(writer.checksumFrom(0));
        return writer.toArray();
    }

    /**
     * The answer in {@code bytes[0, length)}.
     *
     * @throws BlobCorruptException recoverable: the bytes are not an answer, so the part must be
     *     stored by itself
     */
    public static PartAnswer decode(byte[] bytes, int length) {
        int end = length - CHECKSUM_LENGTH;
        ByteReader check = new ByteReader(bytes, Math.max(0, end), length, WHAT);
        if (end < 0 || check.fixedInt() != Checksum.of(bytes, 0, end)) {
            throw new BlobCorruptException(
                    "Cannot read " + WHAT + ": its checksum is wrong. The part is stored by itself.");
        }
        ByteReader reader = new ByteReader(bytes, 0, end, WHAT);
        try {
            BlobId id = BlobId.owned(reader.fixedLong(), reader.fixedLong(), reader.fixedLong());
            List<BlobSection> sections = sections(reader);
            List<Entry> table = new ArrayList<>();
            for (int left = reader.count(MIN_ENTRY_LENGTH); left > 0; left--) {
                table.add(new Entry(reader.varlong(), reader.fixedInt()));
            }
            List<Integer> places = new ArrayList<>();
            for (int left = reader.count(1); left > 0; left--) {
                places.add(reader.varint());
            }
            reader.end();
            return new PartAnswer(id, sections, table, places);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new BlobCorruptException(
                    "Cannot read " + WHAT + ": its numbers contradict each other. The part is stored by itself.", e);
        }
    }

    private static List<BlobSection> sections(ByteReader reader) {
        List<BlobSection> sections = new ArrayList<>();
        long offset = 0;
        for (int left = reader.count(MIN_SECTION_LENGTH); left > 0; left--) {
            BlobSection section = new BlobSection(new Zone(reader.string()), offset, reader.varlong());
            if (section.length() < 1) {
                throw reader.corrupt("a section has " + section.length() + " bytes");
            }
            sections.add(section);
            offset = Math.addExact(offset, section.length());
        }
        return sections;
    }
}
