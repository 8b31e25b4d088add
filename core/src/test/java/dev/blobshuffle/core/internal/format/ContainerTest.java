package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContainerTest {
    /** About the number of partitions of the largest shuffles in practice. */
    private static final int MANY = 8192;

    private static final Container.Origin MAP = new Container.Origin("s", 0, 0);

    @Test
    void eightThousandSegmentsTakeFourteenBytesEach() {
        byte[] blob = TestContainers.bytes(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            for (int partition = 0; partition < MANY; partition++) {
                ByteBuffer bytes = ByteBuffer.allocate(20_000);
                writer.segment(
                        partition, Optional.of(MAP), OptionalLong.of(16_000), OptionalLong.of(60_000), List.of(bytes));
            }
        });
        Trailer trailer = Trailer.read(ByteBuffer.wrap(blob));

        assertThat(trailer.footerLength()).isLessThan(14 * MANY + 100);
        List<Container.Segment> segments = TestContainers.verified(blob).segments();
        assertThat(segments).hasSize(MANY);
        assertThat(segments.get(MANY - 1).partition()).isEqualTo(MANY - 1);
        assertThat(segments.get(MANY - 1).offset()).isEqualTo((MANY - 1) * 20_000L);
    }

    @Test
    void everySegmentOfMergedMapsKeepsItsOrigin() {
        List<Container.Origin> origins = new ArrayList<>();
        byte[] blob = TestContainers.bytes(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            for (int i = 0; i < 1000; i++) {
                Container.Origin origin = new Container.Origin("shuffle-" + i % 3, i % 200, Long.MAX_VALUE - i % 7);
                origins.add(origin);
                writer.segment(
                        i / 200,
                        Optional.of(origin),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        List.of(TestContainers.text("x")));
            }
        });

        assertThat(TestContainers.verified(blob).segments())
                .extracting(segment -> segment.origin().orElseThrow())
                .isEqualTo(origins);
    }

    @Test
    void aReaderResumesAtAFrameWithoutReadingTheOnesBefore() {
        byte[] blob = TestContainers.golden(ContentKind.OPAQUE);
        Container container = TestContainers.verified(blob);
        Container.Segment divided = container.segments().get(2);
        List<Long> reads = new ArrayList<>();
        ContainerReader reader = new ContainerReader(container, (offset, length) -> {
            reads.add(offset);
            return TestContainers.source(blob).read(offset, length);
        });

        assertThat(reader.frame(divided, 2)).isEqualTo(TestContainers.text("frame number 2"));
        assertThat(reads).containsExactly(divided.offset() + 10);
    }

    @Test
    void aMapWithoutRowsIsAnEmptyArrowStream() {
        byte[] blob = TestContainers.bytes(ContentKind.ARROW, writer -> writer.prelude(schema()));

        assertThat(TestContainers.verified(blob).rows()).hasValue(0);
        assertThat(ArrowMessages.of(ByteBuffer.wrap(blob)).types()).containsExactly(ArrowMessages.Type.SCHEMA);
    }

    /** The second read is needed if the footer is longer than the first guess. */
    @Test
    void aLongFooterIsReadInTwoReads() {
        byte[] blob = TestContainers.bytes(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            for (int i = 0; i < 40_000; i++) {
                segment(writer, i, List.of(TestContainers.text("x")));
            }
        });
        List<Integer> reads = new ArrayList<>();
        ContainerReader reader = ContainerReader.open(
                TestContainers.ID,
                (offset, length) -> {
                    reads.add(length);
                    return TestContainers.source(blob).read(offset, length);
                },
                blob.length);

        assertThat(reader.container().segments()).hasSize(40_000);
        assertThat(reads)
                .containsExactly(256 << 10, Trailer.read(ByteBuffer.wrap(blob)).tailLength());
    }

    /** Every bit is covered by a checksum, or by the rule that padding is zero. */
    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void everyFlippedBitIsFound(ContentKind kind) {
        byte[] blob = TestContainers.golden(kind);
        for (int bit = 0; bit < 8 * blob.length; bit++) {
            blob[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatExceptionOfType(BlobCorruptException.class)
                    .as("bit %d", bit)
                    .isThrownBy(() -> TestContainers.verified(blob));
            blob[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void everyCutBlobIsFound(ContentKind kind) {
        byte[] blob = TestContainers.golden(kind);
        for (int length = 0; length < blob.length; length++) {
            byte[] cut = new byte[length];
            System.arraycopy(blob, blob.length - length, cut, 0, length);
            assertCorrupt(cut, "Cannot read");
            System.arraycopy(blob, 0, cut, 0, length);
            assertCorrupt(cut, "Cannot read");
        }
    }

    @Test
    void aSourceThatGivesTooFewBytesIsFound() {
        byte[] blob = TestContainers.golden(ContentKind.OPAQUE);
        Container container = TestContainers.verified(blob);
        ContainerReader reader = new ContainerReader(
                container, (offset, length) -> TestContainers.source(blob).read(offset, length - 1));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(reader::prelude)
                .withMessageContaining("instead of 7");
    }

    /**
     * The segment's checksum is correct, so only the frame's checksum shows that its writer was
     * faulty.
     */
    @Test
    void aFrameThatDoesNotMatchItsChecksumIsFound() {
        byte[] blob = TestContainers.golden(ContentKind.OPAQUE);
        Container sound = TestContainers.verified(blob);
        List<Container.Segment> segments = new ArrayList<>(sound.segments());
        Container.Segment divided = segments.get(2);
        List<Container.Frame> frames = new ArrayList<>(divided.frames());
        frames.set(1, new Container.Frame(frames.get(1).length(), ~frames.get(1).checksum()));
        segments.set(2, with(divided, divided.rows(), frames));
        Container faulty = with(sound, sound.prelude(), segments, sound.postlude());
        ContainerReader reader = new ContainerReader(faulty, TestContainers.source(blob));

        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(reader::verify)
                .withMessageContaining("Cannot read a frame at [42, +3)");
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> reader.frame(segments.get(2), 1));
        assertThat(reader.frame(segments.get(2), 0)).isEqualTo(TestContainers.text("frame 0"));
    }

    @Test
    void arrowContentThatIsNoStreamIsRefused() {
        Container sound = TestContainers.verified(TestContainers.golden(ContentKind.ARROW));
        Container.Piece end = sound.postlude().orElseThrow();
        List<Container.Segment> segments = sound.segments();
        Container.Segment divided = segments.get(0);
        int length = (int) divided.length();
        assertThat(with(sound, sound.prelude(), segments, sound.postlude())).isEqualTo(sound);

        Container.Piece other = new Container.Piece(end.offset(), end.length(), ~end.checksum());
        assertNoStream(() -> with(sound, sound.prelude(), segments, Optional.empty()));
        assertNoStream(() -> with(sound, sound.prelude(), segments, Optional.of(other)));
        assertNoStream(() -> with(sound, Optional.empty(), segments, sound.postlude()));
        for (Container.Segment changed : List.of(
                with(divided, OptionalLong.empty(), divided.frames()),
                with(divided, divided.rows(), List.of(frame(12), frame(length - 12))))) {
            assertNoStream(() ->
                    with(sound, sound.prelude(), List.of(changed, segments.get(1), segments.get(2)), sound.postlude()));
        }
    }

    @Test
    void zerosBeforeAnArrowSegmentAreRefused() {
        Container.Piece end = TestContainers.verified(TestContainers.golden(ContentKind.ARROW))
                .postlude()
                .orElseThrow();
        assertThat(arrowAfterZeros(0, end).segments()).hasSize(1);
        assertNoStream(() -> arrowAfterZeros(4, end));
    }

    @Test
    void aSegmentOfAPartitionThatDoesNotExistIsRefused() {
        assertThat(arrowOf(OptionalInt.of(6)).partitions()).hasValue(6);
        assertNoStream(() -> arrowOf(OptionalInt.of(5)));
        assertNoStream(() -> arrowOf(OptionalInt.of(0)));
    }

    /** Arrow content with a segment of partition 5, which is written and read. */
    private static Container arrowOf(OptionalInt partitions) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ContainerWriter writer = new ContainerWriter(TestContainers.ID, 0, 0, ContentKind.ARROW, part -> {
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            bytes.writeBytes(copy);
        });
        partitions.ifPresent(writer::partitions);
        writer.prelude(ByteBuffer.allocate(8));
        writer.section(Zone.SINGLE);
        writer.segment(5, Optional.empty(), OptionalLong.of(1), OptionalLong.empty(), List.of(ByteBuffer.allocate(8)));
        Container written = writer.finish();
        Container read = ContainerCodec.decode(ByteBuffer.wrap(bytes.toByteArray()), bytes.size());
        assertThat(read).isEqualTo(written);
        return read;
    }

    private static Container arrowAfterZeros(int zeros, Container.Piece end) {
        Container.Segment segment = new Container.Segment(
                0, 0, 8 + zeros, 8, 0, Optional.empty(), OptionalLong.of(1), OptionalLong.empty(), List.of());
        return new Container(
                TestContainers.ID,
                0,
                0,
                ContentKind.ARROW,
                OptionalInt.empty(),
                Optional.of(new Container.Piece(0, 8, 0)),
                List.of(new BlobSection(Zone.SINGLE, 8, 8 + zeros)),
                List.of(segment),
                Optional.of(new Container.Piece(16 + zeros, end.length(), end.checksum())));
    }

    private static Container.Frame frame(int length) {
        return new Container.Frame(length, 0);
    }

    private static Container with(
            Container container,
            Optional<Container.Piece> prelude,
            List<Container.Segment> segments,
            Optional<Container.Piece> postlude) {
        return new Container(
                container.id(),
                container.store(),
                container.createdMillis(),
                container.kind(),
                container.partitions(),
                prelude,
                container.sections(),
                segments,
                postlude);
    }

    private static Container.Segment with(Container.Segment segment, OptionalLong rows, List<Container.Frame> frames) {
        return new Container.Segment(
                segment.section(),
                segment.partition(),
                segment.offset(),
                segment.length(),
                segment.checksum(),
                segment.origin(),
                rows,
                segment.rawLength(),
                frames);
    }

    private static void assertNoStream(Runnable form) {
        assertThatIllegalArgumentException().isThrownBy(form::run).withMessageContaining("Cannot form a blob");
    }

    @Test
    void anotherBlobUnderTheKeyIsFound() {
        byte[] blob = TestContainers.golden(ContentKind.ARROW);
        BlobId other = new BlobId(1, 2, 3);
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> ContainerReader.open(other, TestContainers.source(blob), blob.length))
                .withMessageContainingAll(other.toString(), TestContainers.ID.toString());
    }

    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void readersOfRecordsRefuseOtherContentAndNameIt(ContentKind kind) {
        ByteBuffer blob = ByteBuffer.wrap(TestContainers.golden(kind));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> FooterCodec.tailLength(blob))
                .withMessageContaining("it holds " + kind.label());
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> FooterCodec.decode(blob, blob.remaining()))
                .withMessageContaining("it holds " + kind.label());
    }

    @Test
    void unknownVersionsKindsAndFlagsSayToUpgrade() {
        byte[] blob = TestContainers.golden(ContentKind.OPAQUE);
        int trailer = blob.length - Trailer.LENGTH;
        for (int[] change : new int[][] {{8, 0}, {8, 1}, {8, 4}, {9, 1}, {10, 3}, {10, 255}, {11, 1}, {11, 128}}) {
            byte[] changed = blob.clone();
            changed[trailer + change[0]] = (byte) change[1];
            LittleEndian.writeInt(changed, trailer + 12, Checksum.of(changed, trailer, 12));
            assertCorrupt(changed, "Upgrade the reader");
        }
    }

    @Test
    void theWriterRefusesWhatIsNoBlobOfTheKind() {
        ByteBuffer batch = ArrowMessages.example().messages().get(2).bytes();
        assertRefused(ContentKind.ARROW, writer -> {});
        assertRefused(ContentKind.ARROW, writer -> {
            writer.prelude(schema());
            writer.section(Zone.SINGLE);
            segment(writer, 0, List.of(batch));
        });
        assertRefused(ContentKind.ARROW, writer -> {
            writer.prelude(schema());
            writer.section(Zone.SINGLE);
            writer.segment(
                    0, Optional.empty(), OptionalLong.of(1), OptionalLong.empty(), List.of(TestContainers.text("x")));
        });
        assertRefused(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            segment(writer, 0, List.of(batch));
            writer.section(Zone.SINGLE);
            segment(writer, 1, List.of(batch));
        });
        assertRefused(ContentKind.OPAQUE, writer -> writer.section(Zone.SINGLE));
        assertRefused(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            segment(writer, 0, List.of());
        });
        assertRefused(ContentKind.OPAQUE, writer -> {
            writer.section(Zone.SINGLE);
            segment(writer, 0, List.of(batch));
            writer.segment(1, Optional.of(MAP), OptionalLong.empty(), OptionalLong.empty(), List.of(batch));
        });
        assertRefused(ContentKind.RECORDS, writer -> {});
    }

    @Test
    void theWriterRefusesPartsOutOfOrder() {
        ByteBuffer bytes = TestContainers.text("x");
        assertOutOfOrder(writer -> segment(writer, 0, List.of(bytes)));
        assertOutOfOrder(writer -> {
            writer.prelude(bytes);
            writer.prelude(bytes);
        });
        assertOutOfOrder(writer -> {
            writer.postlude(bytes);
            writer.section(Zone.SINGLE);
        });
        assertOutOfOrder(writer -> {
            writer.postlude(bytes);
            writer.postlude(bytes);
        });
    }

    static void segment(ContainerWriter writer, int partition, List<ByteBuffer> frames) {
        writer.segment(partition, Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), frames);
    }

    private static ByteBuffer schema() {
        return ArrowMessages.example().messages().get(0).bytes();
    }

    private static void assertRefused(ContentKind kind, Consumer<ContainerWriter> parts) {
        assertThatIllegalArgumentException().isThrownBy(() -> TestContainers.bytes(kind, parts));
    }

    private static void assertOutOfOrder(Consumer<ContainerWriter> parts) {
        assertThatIllegalStateException().isThrownBy(() -> TestContainers.bytes(ContentKind.OPAQUE, parts));
    }

    private static void assertCorrupt(byte[] blob, String message) {
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> TestContainers.verified(blob))
                .withMessageContaining(message);
    }
}
