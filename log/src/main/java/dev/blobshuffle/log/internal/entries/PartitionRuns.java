package dev.blobshuffle.log.internal.entries;

import dev.blobshuffle.core.internal.format.ByteWriter;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Varint;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one partition, while its encoder collects a batch. Consecutive plain records form one
 * run. Owned like the encoder.
 */
final class PartitionRuns {
    /** The most bytes before plain records: kind, number of records, base timestamp, length. */
    static final int PLAIN_HEAD_LENGTH = 1 + 4 + 10 + 3;

    private final ByteWriter closed = new ByteWriter(64);
    private final long batchTimestamp;
    private int records;

    private byte[] plain = {};
    private int plainLength;
    private int plainRecords;
    private int lastLength;
    private long plainBase;
    private long plainLast;

    PartitionRuns(long batchTimestamp) {
        this.batchTimestamp = batchTimestamp;
    }

    /** The most bytes before the runs of a partition: its number, number of records, length. */
    static int headLength(int partition) {
        return 1 + (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(partition | 1)) / 7 + 4 + 3;
    }

    /** The most bytes that the current runs take, without {@link #headLength}. */
    int length() {
        return closed.length() + (plainRecords == 0 ? 0 : PLAIN_HEAD_LENGTH + plainLength);
    }

    /** Bytes of the last plain record. */
    int lastLength() {
        return lastLength;
    }

    void segment(int section, Notification notification, int tag, long earliest, long latest) {
        closePlain();
        closed.fixedByte(EntriesCodec.SEGMENT);
        closed.varlong(section);
        closed.varlong(notification.segmentOffset() - notification.sectionOffset());
        closed.varlong(notification.segmentLength());
        closed.varlong(notification.records());
        closed.fixedByte(notification.codec().code());
        closed.fixedInt(notification.checksum());
        closed.fixedInt(tag);
        closed.varlong(Varint.zigzag(earliest - batchTimestamp));
        closed.varlong(latest - earliest);
        records += notification.records();
    }

    /** Adds a plain record of at most {@code size} bytes. */
    void record(long timestamp, byte @Nullable [] key, byte @Nullable [] value, Headers headers, int size) {
        if (plainRecords == 0) {
            plainBase = timestamp;
            plainLast = timestamp;
        }
        if (plain.length - plainLength < size) {
            plain = Arrays.copyOf(plain, Math.max(2 * plain.length, plainLength + size));
        }
        int end = RecordLayout.encode(plain, plainLength, timestamp - plainLast, key, value, headers);
        lastLength = end - plainLength;
        plainLength = end;
        plainLast = timestamp;
        plainRecords++;
        records++;
    }

    /** Writes number of records, length and runs. */
    void writeTo(ByteWriter writer) {
        closePlain();
        writer.varlong(records);
        writer.varlong(closed.length());
        writer.all(closed);
    }

    private void closePlain() {
        if (plainRecords == 0) {
            return;
        }
        closed.fixedByte(EntriesCodec.PLAIN);
        closed.varlong(plainRecords);
        closed.varlong(Varint.zigzag(plainBase - batchTimestamp));
        closed.varlong(plainLength);
        closed.bytes(plain, 0, plainLength);
        plainRecords = 0;
        plainLength = 0;
    }
}
