package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlobRoundTripPropertyTest {
    private static final int CASES = 150;
    private static final BlobId ID = new BlobId(29_330_000, 0x8123_4567_89ab_cdefL, 7);

    @ParameterizedTest
    @EnumSource(Codec.class)
    void recordsComeBackAsTheyWereWritten(Codec codec) {
        for (int seed = 0; seed < CASES; seed++) {
            Blob blob = Blob.random(new SplittableRandom(seed), codec);
            for (int i = 0; i < blob.records.size(); i++) {
                Notification notification = blob.layout.notifications().get(i);
                ByteBuffer bytes = TestSegments.segmentBytes(blob.bytes, notification);
                assertThat(TestSegments.readAll(notification, bytes))
                        .as("seed %d, segment %d", seed, i)
                        .isEqualTo(blob.records.get(i));
                assertThat(bytes.position()).isEqualTo(3);
            }
            assertThat(BlobVerifier.verify(ByteBuffer.wrap(blob.bytes)).id()).isEqualTo(ID);
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void recordsComeBackFromPiecesOfAnyLengthAndAnyFirstRecord(Codec codec) {
        for (int seed = 0; seed < CASES; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Blob blob = Blob.random(random, codec);
            for (int i = 0; i < blob.records.size(); i++) {
                Notification notification = blob.layout.notifications().get(i);
                List<TestRecord> expected = blob.records.get(i);
                int first = random.nextInt(expected.size() + 1);
                assertThat(readInPieces(notification, blob.bytes, first, random))
                        .as("seed %d, segment %d from %d", seed, i, first)
                        .isEqualTo(expected.subList(first, expected.size()));
            }
        }
    }

    @Test
    void sectionsAndSegmentsAreAlignedAndCoverTheBlob() {
        for (int seed = 0; seed < CASES; seed++) {
            Blob blob = Blob.random(new SplittableRandom(seed), Codec.LZ4);
            for (Notification notification : blob.layout.notifications()) {
                assertThat(notification.sectionOffset() % Frame.ALIGNMENT).isZero();
                assertThat(notification.segmentOffset() % Frame.ALIGNMENT).isZero();
                assertThat(NotificationCodec.encode(notification)).hasSizeLessThanOrEqualTo(64);
            }
            Footer footer = FooterCodec.decode(ByteBuffer.wrap(blob.bytes), blob.bytes.length);
            assertThat(footer.segments().stream().map(footer::notification)).isEqualTo(blob.layout.notifications());
        }
    }

    private static List<TestRecord> readInPieces(
            Notification notification, byte[] blob, int first, SplittableRandom random) {
        SegmentReader reader = new SegmentReader(notification);
        reader.skip(first);
        List<TestRecord> records = new ArrayList<>();
        while (!reader.isFinished()) {
            long from = notification.segmentOffset() + reader.position();
            long end = notification.segmentOffset() + notification.segmentLength();
            long to = Math.min(end, from + reader.wanted() + random.nextInt(3000));
            reader.input(TestSegments.range(blob, from, to));
            while (reader.next()) {
                assertThat(reader.index()).isEqualTo(first + records.size());
                records.add(TestSegments.record(reader));
            }
        }
        return records;
    }

    private record Blob(BlobLayout layout, byte[] bytes, List<List<TestRecord>> records) {
        static Blob random(SplittableRandom random, Codec codec) {
            List<List<TestRecord>> all = new ArrayList<>();
            List<SegmentSource> sources = new ArrayList<>();
            int zones = 1 + random.nextInt(3);
            for (int zone = 0; zone < zones; zone++) {
                int segments = 1 + random.nextInt(3);
                for (int i = 0; i < segments; i++) {
                    List<TestRecord> records = new ArrayList<>();
                    int count = 1 + random.nextInt(30);
                    for (int r = 0; r < count; r++) {
                        records.add(TestRecord.random(random));
                    }
                    all.add(records);
                    sources.add(TestSegments.segment(
                            new Zone("zone-" + zone),
                            new Partition("topic", i),
                            "lane-" + random.nextInt(2),
                            records,
                            codec,
                            200 + random.nextInt(8000)));
                }
            }
            BlobLayout layout = BlobLayout.of(ID, 0xcafe_babe, 1_760_000_000_000L, sources);
            return new Blob(layout, TestSegments.bytes(layout), all);
        }
    }
}
