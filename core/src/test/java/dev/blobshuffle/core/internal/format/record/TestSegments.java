package dev.blobshuffle.core.internal.format.record;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds segments and blobs as a Batcher does: records into chunks, slices of chunks into frames.
 */
final class TestSegments {
    private TestSegments() {}

    static SegmentSource segment(
            Zone zone, Partition partition, String lane, List<TestRecord> records, Codec codec, int chunkLength) {
        long min = records.stream().mapToLong(TestRecord::timestamp).min().orElseThrow();
        long max = records.stream().mapToLong(TestRecord::timestamp).max().orElseThrow();
        return new SegmentSource(zone, partition, lane, min, max, frames(records, codec, chunkLength));
    }

    /** A segment, encoded by an encoder that has begun its blob. */
    static SegmentSource segment(
            Zone zone,
            Partition partition,
            String lane,
            List<TestRecord> records,
            FrameEncoder encoder,
            int chunkLength) {
        long min = records.stream().mapToLong(TestRecord::timestamp).min().orElseThrow();
        long max = records.stream().mapToLong(TestRecord::timestamp).max().orElseThrow();
        encoder.begin(partition);
        return new SegmentSource(zone, partition, lane, min, max, frames(records, encoder, chunkLength));
    }

    /**
     * Frames in chunks with other bytes before and after them, so that an ignored offset is
     * noticed.
     */
    static List<Frame> frames(List<TestRecord> records, Codec codec, int chunkLength) {
        try (FrameEncoder encoder = new FrameEncoder(codec)) {
            return frames(records, encoder, chunkLength);
        }
    }

    private static List<Frame> frames(List<TestRecord> records, FrameEncoder encoder, int chunkLength) {
        List<Frame> frames = new ArrayList<>();
        long previous = 0;
        int next = 0;
        while (next < records.size()) {
            long base = previous;
            int margin = 5;
            byte[] chunk = new byte[margin + Math.max(chunkLength, maxSize(records.get(next)))];
            int at = margin;
            int count = 0;
            while (next < records.size() && maxSize(records.get(next)) <= chunk.length - at) {
                TestRecord record = records.get(next++);
                at = RecordLayout.encode(
                        chunk,
                        at,
                        record.timestamp() - previous,
                        record.keyBytes(),
                        record.valueBytes(),
                        record.headersView());
                previous = record.timestamp();
                count++;
            }
            frames.add(encoder.encode(chunk, margin, at - margin, count, base));
        }
        return frames;
    }

    private static int maxSize(TestRecord record) {
        return (int) RecordLayout.maxEncodedSize(record.keyBytes(), record.valueBytes(), record.headersView());
    }

    static byte[] bytes(BlobLayout layout) {
        ByteBuffer joined = ByteBuffer.allocate((int) layout.length());
        layout.buffers().forEach(buffer -> joined.put(buffer.duplicate()));
        if (joined.hasRemaining()) {
            throw new AssertionError(
                    "The buffers are shorter than the layout says, by " + joined.remaining() + " bytes.");
        }
        return joined.array();
    }

    /** The segment's bytes, at an odd position of a larger array. */
    static ByteBuffer range(byte[] blob, long from, long to) {
        int margin = 3;
        byte[] larger = new byte[(int) (to - from) + 2 * margin];
        System.arraycopy(blob, (int) from, larger, margin, (int) (to - from));
        return ByteBuffer.wrap(larger, margin, (int) (to - from));
    }

    static ByteBuffer segmentBytes(byte[] blob, Notification notification) {
        return range(blob, notification.segmentOffset(), notification.segmentOffset() + notification.segmentLength());
    }

    static List<TestRecord> readAll(Notification notification, ByteBuffer segment) {
        return readAll(new SegmentReader(notification), segment);
    }

    static List<TestRecord> readAll(SegmentReader reader, ByteBuffer segment) {
        List<TestRecord> records = new ArrayList<>();
        reader.input(segment);
        while (reader.next()) {
            records.add(record(reader));
        }
        if (!reader.isFinished()) {
            throw new AssertionError("The reader stopped before the end.");
        }
        return records;
    }

    static TestRecord record(SegmentReader reader) {
        return TestRecord.of(reader.timestamp(), reader.key(), reader.value(), reader.headers());
    }
}
