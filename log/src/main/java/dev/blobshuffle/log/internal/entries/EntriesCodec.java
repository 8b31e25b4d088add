package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.ByteReader;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Varint;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Decodes the entries of a batch ({@code docs/format.md}, "Entries of a log batch"). Stateless.
 * {@link EntriesEncoder} encodes them.
 */
public final class EntriesCodec {
    static final byte MAGIC = (byte) 0xB6;
    static final byte VERSION = 1;

    /** The version of entries whose blobs have owners. */
    static final byte OWNED_VERSION = 2;

    static final byte SEGMENT = 0;
    static final byte PLAIN = 1;

    private static final String WHAT = "the entries of a batch";
    private static final int CHECKSUM_LENGTH = 4;

    /** Generation, writer, sequence, store, key. */
    private static final int MIN_BLOB_LENGTH = 1 + 8 + 1 + 4 + 1;

    /** Number, records, length, and the shortest run: plain records, of which one has 3 bytes. */
    private static final int MIN_PARTITION_LENGTH = 3 + 4 + 3;

    private static final int MIN_SECTION_LENGTH = 3;
    private static final int MIN_RECORD_LENGTH = 3;

    private EntriesCodec() {}

    /**
     * Decodes entries. Skips runs of other partitions without allocation.
     *
     * @param partitions whether a partition's runs are wanted, by its number
     * @throws BlobCorruptException fatal: the bytes are not entries, or have a newer version
     */
    public static Entries decode(byte[] bytes, IntPredicate partitions) {
        if (bytes.length > 0 && bytes[0] == OutboxRecord.MAGIC) {
            return OutboxRecord.decode(bytes, partitions);
        }
        if (bytes.length < 2 + CHECKSUM_LENGTH || bytes[0] != MAGIC) {
            throw corrupt("the bytes do not begin as such");
        }
        if (bytes[1] != VERSION && bytes[1] != OWNED_VERSION) {
            throw new BlobCorruptException("Cannot read " + WHAT + ": their version is " + bytes[1]
                    + ", this reader knows up to " + OWNED_VERSION
                    + ". Upgrade the reader; when rolling out, upgrade all readers before the first writer.");
        }
        int end = bytes.length - CHECKSUM_LENGTH;
        if (Checksum.of(bytes, 0, end) != LittleEndian.readInt(bytes, end)) {
            throw corrupt("their checksum is wrong, " + bytes.length + " bytes");
        }
        try {
            return new Decoding(bytes, new ByteReader(bytes, 2, end, WHAT)).entries(partitions);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new BlobCorruptException(
                    "Cannot read " + WHAT
                            + ": their numbers contradict each other. Their writer was faulty; report it.",
                    e);
        }
    }

    private static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException(
                "Cannot read " + WHAT + ": " + reason + ". Check that nothing but BlobShuffle writes to the log.");
    }

    /** Decodes one batch. */
    private static final class Decoding {
        private final byte[] bytes;
        private final ByteReader reader;
        private final long baseTimestamp;
        private final Blob[] blobs;
        private final int[] sectionBlobs;
        private final long[] sectionOffsets;
        private final long[] sectionLengths;
        private final List<Entries.Run> runs = new ArrayList<>();

        Decoding(byte[] bytes, ByteReader reader) {
            this.bytes = bytes;
            this.reader = reader;
            baseTimestamp = reader.fixedLong();
            blobs = new Blob[reader.count(MIN_BLOB_LENGTH)];
            for (int i = 0; i < blobs.length; i++) {
                long generation = reader.varlong();
                long writer = reader.fixedLong();
                long sequence = reader.varlong();
                BlobId id = bytes[1] == OWNED_VERSION
                        ? BlobId.owned(generation, writer, sequence)
                        : new BlobId(generation, writer, sequence);
                blobs[i] = new Blob(id, reader.fixedInt(), reader.keyId());
            }
            int sections = reader.count(MIN_SECTION_LENGTH);
            sectionBlobs = new int[sections];
            sectionOffsets = new long[sections];
            sectionLengths = new long[sections];
            for (int i = 0; i < sections; i++) {
                sectionBlobs[i] = checkIndex(reader.varint(), blobs.length, "blob");
                sectionOffsets[i] = reader.varlong();
                sectionLengths[i] = reader.varlong();
            }
        }

        Entries entries(IntPredicate wanted) {
            int count = reader.count(MIN_PARTITION_LENGTH);
            int partition = -1;
            int index = 0;
            for (int i = 0; i < count; i++) {
                partition = Math.addExact(Math.addExact(partition, 1), reader.varint());
                int records = reader.varint();
                if (records < 1 || records > Entries.MAX_RECORDS - index) {
                    throw reader.corrupt("a partition has " + records + " records");
                }
                int length = reader.varint();
                if (wanted.test(partition)) {
                    runs(partition, index, records, length);
                } else {
                    reader.skip(length);
                }
                index += records;
            }
            reader.end();
            return new Entries(runs, index);
        }

        private void runs(int partition, int firstIndex, int records, int length) {
            int end = Math.addExact(reader.position(), length);
            int left = records;
            while (left > 0) {
                Entries.Run run = run(partition, firstIndex + records - left);
                if (run.records() > left) {
                    throw reader.corrupt("runs have more records than their partition");
                }
                left -= run.records();
                runs.add(run);
            }
            if (reader.position() != end) {
                throw reader.corrupt("runs are not as long as their partition says");
            }
        }

        private Entries.Run run(int partition, int index) {
            byte kind = reader.fixedByte();
            return switch (kind) {
                case SEGMENT -> segment(partition, index);
                case PLAIN -> plain(partition, index);
                default ->
                    throw new BlobCorruptException("Cannot read " + WHAT + ": a run is of the unknown kind " + kind
                            + ". Upgrade the reader if a newer version wrote it.");
            };
        }

        private Entries.SegmentRun segment(int partition, int index) {
            int section = checkIndex(reader.varint(), sectionBlobs.length, "section");
            Blob blob = blobs[sectionBlobs[section]];
            long segmentOffset = Math.addExact(sectionOffsets[section], reader.varlong());
            long segmentLength = reader.varlong();
            int records = reader.varint();
            Codec codec = Codec.of(reader.fixedByte(), () -> WHAT);
            int checksum = reader.fixedInt();
            Binding binding = new Binding(reader.fixedInt(), blob.key());
            Notification notification = new Notification(
                    blob.id(),
                    blob.store(),
                    sectionOffsets[section],
                    sectionLengths[section],
                    segmentOffset,
                    segmentLength,
                    records,
                    codec,
                    checksum,
                    Optional.of(binding));
            long earliest = baseTimestamp + Varint.unzigzag(reader.varlong());
            return new Entries.SegmentRun(partition, index, notification, earliest, earliest + reader.varlong());
        }

        private Entries.PlainRun plain(int partition, int index) {
            int records = reader.varint();
            long timestamp = baseTimestamp + Varint.unzigzag(reader.varlong());
            int length = reader.varint();
            int offset = reader.position();
            reader.skip(length);
            if (records < 1 || records > length / MIN_RECORD_LENGTH) {
                throw reader.corrupt("a run has " + records + " records in " + length + " bytes");
            }
            Entries.PlainRun run = new Entries.PlainRun(partition, index, records, timestamp, bytes, offset, length);
            RecordCursor cursor = new RecordCursor();
            run.reset(cursor);
            while (cursor.next()) {
                // Each step checks a record.
            }
            return run;
        }

        private int checkIndex(int index, int count, String what) {
            if (index >= count) {
                throw reader.corrupt("it names " + what + " " + index + " of " + count);
            }
            return index;
        }
    }

    private record Blob(BlobId id, int store, Optional<String> key) {}
}
