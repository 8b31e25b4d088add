package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.TestContainers;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * For any bytes, decoders return a value or throw {@link BlobCorruptException}, and allocate no
 * more than documented. Some cases correct the checksums, so that the code behind them is reached.
 * A failing case names its seed, which is its only input.
 */
class DecoderFuzzTest {
    private static final int CASES = Integer.getInteger("fuzz.cases", 4_000);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * The bytes that a decoder may allocate in addition to those that depend on its input. Most of
     * them are for the message and stack trace of a failure.
     */
    private static final long FIXED_ALLOCATION = 1 << 16;

    @Test
    void notificationsAreValuesOrCorrupt() {
        byte[] valid = NotificationCodec.encode(example(Codec.NONE).notification);
        Tally tally = new Tally();
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = mutate(valid, random);
            if (random.nextBoolean() && bytes.length >= 4) {
                LittleEndian.writeInt(bytes, bytes.length - 4, Checksum.of(bytes, 0, bytes.length - 4));
            }
            tally.run(seed, FIXED_ALLOCATION, () -> NotificationCodec.decode(bytes));
        }
        tally.assertBothHappened();
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void segmentsAreRecordsOrCorrupt(Codec codec) {
        Example example = example(codec);
        Tally tally = new Tally();
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int caseSeed = seed;
            byte[] segment = mutate(example.segment, random);
            Notification notification =
                    random.nextInt(8) == 0 ? example.notification : repair(segment, example.notification, random);
            long bound = FIXED_ALLOCATION + 8L * segment.length + decompressed(segment, codec);
            tally.run(seed, bound, () -> readSegment(notification, segment, new SplittableRandom(~caseSeed)));
        }
        tally.assertBothHappened();
    }

    @Test
    void rawBodiesAreRecordsOrCorrupt() {
        Frame frame = TestSegments.frames(example(Codec.NONE).records, Codec.NONE, 100_000)
                .get(0);
        byte[] valid = ByteBuffer.allocate(frame.length())
                .put(frame.array(), frame.offset(), frame.length())
                .array();
        Tally tally = new Tally();
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] body = random.nextInt(4) == 0 ? randomBytes(random) : mutate(valid, random);
            int records = random.nextBoolean() ? frame.records() : 1 + random.nextInt(40);
            tally.run(seed, FIXED_ALLOCATION + 8L * body.length, () -> readBody(body, records));
        }
        tally.assertBothHappened();
    }

    @Test
    void blobsAreFootersOrCorrupt() {
        byte[] valid = example(Codec.LZ4).blob;
        Tally tally = new Tally();
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] blob = mutateTail(valid, random);
            long bound = FIXED_ALLOCATION + 64L * blob.length;
            tally.run(seed, bound, () -> FooterCodec.decode(ByteBuffer.wrap(blob), blob.length));
            tally.run(seed, Long.MAX_VALUE, () -> BlobVerifier.verify(ByteBuffer.wrap(blob)));
        }
        tally.assertBothHappened();
    }

    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void otherContentIsAContainerOrCorrupt(ContentKind kind) {
        byte[] valid = TestContainers.golden(kind);
        Tally tally = new Tally();
        for (int seed = 0; seed < CASES; seed++) {
            byte[] blob = mutateTail(valid, new SplittableRandom(seed));
            long bound = FIXED_ALLOCATION + 64L * blob.length;
            tally.run(seed, bound, () -> ContainerCodec.decode(ByteBuffer.wrap(blob), blob.length));
            tally.run(seed, 2 * bound, () -> TestContainers.verified(blob));
        }
        tally.assertBothHappened();
    }

    private static Object readSegment(Notification notification, byte[] segment, SplittableRandom random) {
        SegmentReader reader = new SegmentReader(notification);
        reader.skip(random.nextInt(4) == 0 ? random.nextInt(notification.records() + 1) : 0);
        boolean pieces = random.nextBoolean();
        int inputs = 0;
        long size = 0;
        while (!reader.isFinished()) {
            int from = (int) Math.min(reader.position(), segment.length);
            int left = (int) Math.min(notification.segmentLength(), segment.length) - from;
            int length = pieces ? Math.min(left, reader.wanted() + random.nextInt(500)) : left;
            reader.input(ByteBuffer.wrap(segment, from, length));
            while (reader.next()) {
                size += touch(reader.key(), reader.value(), reader.headers());
            }
            if (++inputs > segment.length) {
                throw new AssertionError("The reader asks for input without end.");
            }
        }
        return size;
    }

    private static Object readBody(byte[] body, int records) {
        RecordCursor cursor = new RecordCursor();
        long size = 0;
        cursor.reset(body, 0, body.length, records, 0);
        while (cursor.next()) {
            size += touch(cursor.key(), cursor.value(), cursor.headers());
        }
        return size;
    }

    private static long touch(byte[] key, byte[] value, Headers headers) {
        long size = (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
        for (int i = 0; i < headers.count(); i++) {
            byte[] header = headers.value(i);
            size += headers.name(i).length() + (header == null ? 0 : header.length);
        }
        return size;
    }

    /**
     * Corrects the checksums of headers and bodies, and adapts the notification to the bytes, as a
     * faulty writer would.
     */
    private static Notification repair(byte[] segment, Notification original, SplittableRandom random) {
        CRC32C headers = new CRC32C();
        int tag = original.binding().orElseThrow().tag();
        int at = 0;
        int records = 0;
        while (segment.length - at >= Frame.HEADER_LENGTH) {
            int length = LittleEndian.readInt(segment, at + 12);
            if (length > 0 && length <= segment.length - at - Frame.HEADER_LENGTH) {
                LittleEndian.writeInt(segment, at + 24, Checksum.of(segment, at + Frame.HEADER_LENGTH, length));
            }
            LittleEndian.writeInt(segment, at + 28, FrameHeader.checksum(segment, at, tag));
            headers.update(segment, at, Frame.HEADER_LENGTH);
            records += LittleEndian.readInt(segment, at + 4);
            if (length <= 0 || length > segment.length) {
                break;
            }
            at += Frame.HEADER_LENGTH + Frame.align(length);
        }
        boolean legal = records > 0 && records <= Notification.MAX_RECORDS;
        int claimed = legal && random.nextInt(8) != 0 ? records : original.records();
        return new Notification(
                original.blob(),
                original.store(),
                0,
                segment.length,
                0,
                segment.length,
                claimed,
                original.codec(),
                (int) headers.getValue(),
                original.binding());
    }

    /** The documented bound of the memory for decompression. */
    private static long decompressed(byte[] segment, Codec codec) {
        return switch (codec) {
            case NONE -> 0;
            case LZ4 -> 2 * 255L * segment.length;
            case ZSTD -> 2L * Frame.MAX_RAW_LENGTH;
        };
    }

    private static byte[] mutateTail(byte[] valid, SplittableRandom random) {
        byte[] blob = random.nextInt(10) == 0 ? mutate(valid, random) : valid.clone();
        int tail = Trailer.read(ByteBuffer.wrap(valid)).tailLength();
        int footer = tail - Trailer.LENGTH;
        int start = blob.length - tail;
        if (start < 0) {
            return blob;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            blob[start + random.nextInt(tail)] = interesting(random);
        }
        if (random.nextInt(8) != 0) {
            int trailer = start + footer;
            LittleEndian.writeInt(blob, trailer + 4, Checksum.of(blob, start, footer));
            LittleEndian.writeInt(blob, trailer + 12, Checksum.of(blob, trailer, 12));
        }
        return blob;
    }

    private static byte[] mutate(byte[] valid, SplittableRandom random) {
        byte[] bytes = valid.clone();
        for (int i = random.nextInt(5); i > 0; i--) {
            int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(bytes.length, 48));
            bytes[at] = interesting(random);
        }
        return switch (random.nextInt(12)) {
            case 0 -> Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
            case 1 -> Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(64));
            case 2 -> randomBytes(random);
            default -> bytes;
        };
    }

    private static byte interesting(SplittableRandom random) {
        byte[] values = {0, 1, 2, 0x7f, (byte) 0x80, (byte) 0xff, 8, (byte) random.nextInt()};
        return values[random.nextInt(values.length)];
    }

    private static byte[] randomBytes(SplittableRandom random) {
        byte[] bytes = new byte[1 + random.nextInt(400)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Example example(Codec codec) {
        SplittableRandom random = new SplittableRandom(7);
        List<TestRecord> records = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TestRecord record = TestRecord.random(random);
            records.add(record);
        }
        SegmentSource source = TestSegments.segment(new Zone("a"), new Partition("t", 0), "lane", records, codec, 2500);
        BlobLayout layout = BlobLayout.of(new BlobId(1, 2, 3), 4, 5, List.of(source));
        byte[] blob = TestSegments.bytes(layout);
        Notification notification = layout.notifications().get(0);
        byte[] segment = Arrays.copyOf(blob, (int) notification.segmentLength());
        return new Example(records, blob, segment, notification);
    }

    private record Example(List<TestRecord> records, byte[] blob, byte[] segment, Notification notification) {}

    /**
     * Runs cases and counts their outcomes. A fuzz test in which one outcome never occurs tests
     * nothing.
     */
    private static final class Tally {
        private int values;
        private int corrupt;

        void run(int seed, long allocationBound, Supplier<Object> decode) {
            long allocated = allocated(seed, decode);
            // The first case of a kind loads classes, so only a repeated allocation is the
            // decoder's.
            if (allocated > allocationBound && allocated(seed, decode) > allocationBound) {
                throw new AssertionError(
                        "Seed " + seed + " allocates " + allocated + " bytes, bound " + allocationBound);
            }
        }

        private long allocated(int seed, Supplier<Object> decode) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            try {
                assertThat(decode.get()).isNotNull();
                values++;
            } catch (BlobCorruptException e) {
                corrupt++;
            } catch (Throwable e) {
                throw new AssertionError("Seed " + seed + " ends with " + e, e);
            }
            return THREADS.getCurrentThreadAllocatedBytes() - before;
        }

        void assertBothHappened() {
            assertThat(values).as("values").isGreaterThan(CASES / 50);
            assertThat(corrupt).as("corrupt").isGreaterThan(CASES / 50);
        }
    }
}
