package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SegmentReaderTest {
    private final List<TestRecord> records = records(50);
    private final Segment segment = Segment.of(records, Codec.NONE, 300);

    @Test
    void framesOfAWrongSegmentAreRefusedBeforeTheFirstRecord() {
        Segment other = Segment.of(records(50).subList(1, 50), Codec.NONE, 300);
        Notification theirs = other.notification;
        Notification wrong = new Notification(
                theirs.blob(),
                0,
                0,
                theirs.sectionLength(),
                0,
                theirs.segmentLength(),
                theirs.records(),
                Codec.NONE,
                1);
        SegmentReader reader = new SegmentReader(wrong);
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> reader.input(ByteBuffer.wrap(other.bytes)))
                .withMessageContaining("checksum")
                .withMessageContaining(wrong.blob().toString());
    }

    @Test
    void inPiecesAWrongSegmentIsRefusedBeforeTheRecordsOfItsLastFrame() {
        Notification right = segment.notification;
        Notification wrong = new Notification(
                right.blob(), 0, 0, right.sectionLength(), 0, right.segmentLength(), right.records(), Codec.NONE, 1);
        SegmentReader reader = new SegmentReader(wrong);
        List<TestRecord> seen = new ArrayList<>();
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> readByWanted(reader, segment.bytes, seen));
        assertThat(seen).hasSizeLessThan(records.size()).isEqualTo(records.subList(0, seen.size()));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void everyFlippedBitIsFound(Codec codec) {
        Segment small = Segment.of(records.subList(0, 6), codec, 300);
        for (int bit = 0; bit < small.bytes.length * 8; bit++) {
            byte[] flipped = small.bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatExceptionOfType(BlobCorruptException.class)
                    .as("bit %d", bit)
                    .isThrownBy(() -> TestSegments.readAll(small.notification, ByteBuffer.wrap(flipped)))
                    .withMessageStartingWith("Cannot read");
        }
    }

    @Test
    void everyCutIsFound() {
        for (int length = 0; length < segment.bytes.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(segment.bytes, 0, length);
            assertThatExceptionOfType(BlobCorruptException.class)
                    .as("length %d", length)
                    .isThrownBy(() -> {
                        SegmentReader reader = new SegmentReader(segment.notification);
                        reader.input(cut);
                        while (reader.next()) {}
                        reader.input(ByteBuffer.allocate(0));
                    });
        }
    }

    @Test
    void skippedFramesNeedTheirHeadersOnly() {
        int frameBodies = segment.bytes.length;
        SegmentReader reader = new SegmentReader(segment.notification);
        reader.skip(records.size() - 1);
        List<TestRecord> seen = new ArrayList<>();
        int bytesRead = readByWanted(reader, segment.bytes, seen);
        assertThat(seen).isEqualTo(records.subList(records.size() - 1, records.size()));
        assertThat(bytesRead).isLessThan(frameBodies / 2);
    }

    @Test
    void aSkippedBodyIsNotChecked() {
        byte[] bytes = segment.bytes.clone();
        bytes[Frame.HEADER_LENGTH + 2] ^= 1;
        SegmentReader reader = new SegmentReader(segment.notification);
        reader.skip(records.size() - 1);
        reader.input(ByteBuffer.wrap(bytes));
        assertThat(reader.next()).isTrue();
        assertThat(reader.index()).isEqualTo(records.size() - 1);
        assertThat(reader.isFinished()).isTrue();
    }

    @Test
    void skipsAddUpFromAnyRecord() {
        SegmentReader reader = new SegmentReader(segment.notification);
        reader.input(ByteBuffer.wrap(segment.bytes));
        int expected = 0;
        for (int step : new int[] {0, 1, 0, 3, 17, 2}) {
            reader.skip(step);
            expected += step;
            assertThat(reader.next()).isTrue();
            assertThat(reader.index()).isEqualTo(expected);
            assertThat(TestSegments.record(reader)).isEqualTo(records.get(expected));
            expected++;
        }
        reader.skip(Integer.MAX_VALUE);
        assertThat(reader.next()).isFalse();
        assertThat(reader.isFinished()).isTrue();
    }

    @Test
    void finishedWithTheLastRecord() {
        SegmentReader reader = new SegmentReader(segment.notification);
        reader.input(ByteBuffer.wrap(segment.bytes));
        for (int i = 0; i < records.size(); i++) {
            assertThat(reader.isFinished()).isFalse();
            assertThat(reader.next()).isTrue();
        }
        assertThat(reader.isFinished()).isTrue();
        assertThat(reader.wanted()).isZero();
        assertThat(reader.next()).isFalse();
    }

    @Test
    void inputInTheMiddleOfAFrameIsRefused() {
        SegmentReader reader = new SegmentReader(segment.notification);
        reader.input(ByteBuffer.wrap(segment.bytes));
        reader.next();
        assertThatIllegalStateException().isThrownBy(() -> reader.input(ByteBuffer.wrap(segment.bytes)));
    }

    @Test
    void tooManyBytesAreCorrupt() {
        SegmentReader reader = new SegmentReader(segment.notification);
        ByteBuffer longer = ByteBuffer.wrap(Arrays.copyOf(segment.bytes, segment.bytes.length + 8));
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> reader.input(longer));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void aTenMegabyteRecordWorks(Codec codec) {
        byte[] value = new byte[10 << 20];
        new SplittableRandom(3).nextBytes(value);
        Arrays.fill(value, value.length / 2, value.length, (byte) 'x');
        byte[] chunk = new byte[(int) RecordLayout.maxEncodedSize(null, value, Headers.NONE)];
        int length = RecordLayout.encode(chunk, 0, 0, null, value, Headers.NONE);
        try (FrameEncoder encoder = new FrameEncoder(codec)) {
            Segment huge = Segment.of(List.of(encoder.encode(chunk, 0, length, 1, 5)), 5, 5);
            SegmentReader reader = new SegmentReader(huge.notification);
            reader.input(ByteBuffer.wrap(huge.bytes));
            assertThat(reader.next()).isTrue();
            assertThat(reader.value()).isEqualTo(value);
            assertThat(reader.timestamp()).isEqualTo(5);
        }
    }

    private static int readByWanted(SegmentReader reader, byte[] bytes, List<TestRecord> seen) {
        int total = 0;
        while (!reader.isFinished()) {
            int wanted = reader.wanted();
            total += wanted;
            reader.input(ByteBuffer.wrap(bytes, (int) reader.position(), wanted));
            while (reader.next()) {
                seen.add(TestSegments.record(reader));
            }
        }
        return total;
    }

    private static List<TestRecord> records(int count) {
        List<TestRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = {(byte) i};
            byte[] value = ("value " + "abc ".repeat(i % 20) + i).getBytes(StandardCharsets.UTF_8);
            records.add(new TestRecord(1000 + i, TestRecord.boxed(key), TestRecord.boxed(value), List.of()));
        }
        return records;
    }

    private record Segment(Notification notification, byte[] bytes) {
        static Segment of(List<TestRecord> records, Codec codec, int chunkLength) {
            return of(TestSegments.frames(records, codec, chunkLength), 0, Long.MAX_VALUE);
        }

        static Segment of(List<Frame> frames, long min, long max) {
            SegmentSource source = new SegmentSource(Zone.SINGLE, new Partition("t", 0), "lane", min, max, frames);
            BlobLayout layout = BlobLayout.of(new BlobId(1, 2, 3), 0, 0, List.of(source));
            Notification notification = layout.notifications().get(0);
            return new Segment(
                    notification, Arrays.copyOf(TestSegments.bytes(layout), (int) notification.segmentLength()));
        }
    }
}
