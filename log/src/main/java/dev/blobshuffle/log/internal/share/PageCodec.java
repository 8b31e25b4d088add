package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.ByteReader;
import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.log.internal.SequencedBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Encodes a page for another member ({@code docs/format.md}, "Page of a log"). Stateless. */
public final class PageCodec {
    private static final byte MAGIC = (byte) 0xB8;
    private static final byte VERSION = 1;
    private static final String WHAT = "a page of the log";
    private static final int CHECKSUM_LENGTH = 4;

    /** Id, time, length, and a byte of entries. */
    private static final int MIN_BATCH_LENGTH = 8 + 8 + 1 + 1;

    /** The log's limit. */
    private static final int MOST_ENTRIES = 64 << 10;

    /** Magic, version, first sequence, count, checksum; of a batch: id, time, length. */
    private static final int HEAD_LENGTH = 2 + 10 + 5 + CHECKSUM_LENGTH;

    private static final int BATCH_HEAD_LENGTH = 8 + 8 + 3;

    private PageCodec() {}

    /** The most bytes of a page that answers a question. */
    public static int longest(LogQuestion question) {
        return HEAD_LENGTH + question.maxBytes() + MOST_ENTRIES + LogQuestion.MOST_BATCHES * BATCH_HEAD_LENGTH;
    }

    /**
     * Encodes a page.
     *
     * @param first the requested sequence
     * @param batches from that sequence on, without holes
     */
    public static byte[] encode(long first, List<SequencedBatch> batches) {
        int length = HEAD_LENGTH;
        for (SequencedBatch batch : batches) {
            length += BATCH_HEAD_LENGTH + batch.entries().length;
        }
        ByteWriter writer = new ByteWriter(length);
        writer.fixedByte(MAGIC);
        writer.fixedByte(VERSION);
        writer.varlong(first);
        writer.varlong(batches.size());
        for (SequencedBatch batch : batches) {
            writer.fixedLong(batch.id());
            writer.fixedLong(batch.committedMillis());
            writer.varlong(batch.entries().length);
            writer.bytes(batch.entries(), 0, batch.entries().length);
        }
        writer.fixedInt(writer.checksumFrom(0));
        return writer.toArray();
    }

    /**
     * Decodes a page.
     *
     * @param bytes has the page in its first {@code length} bytes
     * @throws BlobCorruptException recoverable, by reading the log: the bytes are not a page, or
     *     have a newer version
     */
    public static List<SequencedBatch> decode(byte[] bytes, int length) {
        if (length < 2 + CHECKSUM_LENGTH || bytes[0] != MAGIC || bytes[1] != VERSION) {
            throw corrupt("the bytes do not begin as one of version " + VERSION);
        }
        int end = length - CHECKSUM_LENGTH;
        if (Checksum.of(bytes, 0, end) != LittleEndian.readInt(bytes, end)) {
            throw corrupt("its checksum is wrong, " + length + " bytes");
        }
        ByteReader reader = new ByteReader(bytes, 2, end, WHAT);
        long first = reader.varlong();
        int count = reader.count(MIN_BATCH_LENGTH);
        if (first < 0 || first > Long.MAX_VALUE - count) {
            throw reader.corrupt("its first sequence is out of range");
        }
        List<SequencedBatch> batches = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long id = reader.fixedLong();
            long committed = reader.fixedLong();
            int size = reader.varint();
            if (size < 1 || size > MOST_ENTRIES) {
                throw reader.corrupt("entries of " + size + " bytes");
            }
            int at = reader.position();
            reader.skip(size);
            batches.add(new SequencedBatch(first + i, id, committed, Arrays.copyOfRange(bytes, at, at + size)));
        }
        reader.end();
        return batches;
    }

    private static BlobCorruptException corrupt(String reason) {
        return new BlobCorruptException("Cannot read " + WHAT + ": " + reason + ". The log is asked instead.");
    }
}
