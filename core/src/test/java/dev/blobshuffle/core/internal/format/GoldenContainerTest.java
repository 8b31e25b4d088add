package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.ArrowMessages.Type;
import dev.blobshuffle.core.store.BlobSection;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The stored blobs of Arrow and opaque content stay readable, and the current writer writes the
 * same bytes. {@code ./mvnw -pl core test -Dtest=GoldenContainerTest -Dgolden.update=true} writes
 * them.
 */
class GoldenContainerTest {
    @ParameterizedTest
    @EnumSource(names = {"ARROW", "OPAQUE"})
    void todaysWriterMakesTheStoredBytes(ContentKind kind) throws IOException {
        assertThat(TestContainers.golden(kind)).isEqualTo(golden(kind));
    }

    @Test
    void arrowContentStaysReadable() throws IOException {
        byte[] blob = golden(ContentKind.ARROW);
        Container container = TestContainers.verified(blob);

        assertThat(container.kind()).isEqualTo(ContentKind.ARROW);
        assertThat(container.store()).isEqualTo(TestContainers.STORE);
        assertThat(container.createdMillis()).isEqualTo(TestContainers.CREATED);
        assertThat(container.sections())
                .extracting(BlobSection::zone)
                .containsExactly(TestContainers.EAST_1, TestContainers.EAST_2);
        assertThat(container.segments())
                .extracting(Container.Segment::partition)
                .containsExactly(0, 3, 1);
        assertThat(container.segments())
                .allSatisfy(segment -> assertThat(segment.origin()).contains(TestContainers.MAP_12));
        assertThat(container.segments())
                .extracting(Container.Segment::rows)
                .containsExactly(OptionalLong.of(64), OptionalLong.of(1), OptionalLong.of(107));
        assertThat(container.rows()).hasValue(172);
    }

    /**
     * A reader of Arrow streams gets all rows of the blob, then the marker, and stops before the
     * footer.
     */
    @Test
    void anArrowBlobIsAnArrowStream() throws IOException {
        byte[] blob = golden(ContentKind.ARROW);
        Container container = TestContainers.verified(blob);
        ArrowMessages stream = ArrowMessages.of(ByteBuffer.wrap(blob));

        assertThat(stream.types())
                .containsExactly(
                        Type.SCHEMA,
                        Type.DICTIONARY_BATCH,
                        Type.RECORD_BATCH,
                        Type.RECORD_BATCH,
                        Type.RECORD_BATCH,
                        Type.RECORD_BATCH,
                        Type.RECORD_BATCH);
        assertThat(stream.messages()).isEqualTo(ArrowMessages.example().messages());
        assertThat((long) stream.end()).isEqualTo(container.contentEnd()).isLessThan(blob.length);
    }

    /** Prelude and segment, with the marker after them, are the stream of one partition. */
    @Test
    void aPartitionOfAnArrowBlobIsAnArrowStream() throws IOException {
        byte[] blob = golden(ContentKind.ARROW);
        ContainerReader reader = ContainerReader.open(TestContainers.ID, TestContainers.source(blob), blob.length);
        for (Container.Segment segment : reader.container().segments()) {
            ByteBuffer prelude = reader.prelude().orElseThrow();
            ByteBuffer rows = reader.segment(segment);
            ByteBuffer end = reader.postlude().orElseThrow();
            ArrowMessages stream =
                    ArrowMessages.of(ByteBuffer.allocate(prelude.remaining() + rows.remaining() + end.remaining())
                            .put(prelude)
                            .put(rows)
                            .put(end)
                            .flip());
            assertThat(stream.types()).startsWith(Type.SCHEMA, Type.DICTIONARY_BATCH, Type.RECORD_BATCH);
            assertThat(stream.messages().stream()
                            .mapToLong(ArrowMessages.Message::rows)
                            .sum())
                    .isEqualTo(segment.rows().getAsLong());
        }
    }

    /**
     * The Python package wrote {@code ARROW-python.blob} ({@code python/tests/golden.py}). Each
     * frame begins with its own dictionary, so each can be read after the prelude.
     */
    @Test
    void anArrowBlobOfPythonIsRead() throws IOException {
        byte[] blob = stored("ARROW-python");
        ContainerReader reader = ContainerReader.open(TestContainers.ID, TestContainers.source(blob), blob.length);
        reader.verify();
        Container container = reader.container();

        assertThat(container.store()).isEqualTo(TestContainers.STORE);
        assertThat(container.createdMillis()).isEqualTo(TestContainers.CREATED);
        assertThat(container.segments())
                .extracting(Container.Segment::partition)
                .containsExactly(0, 3, 7);
        assertThat(container.segments())
                .allSatisfy(segment -> assertThat(segment.origin()).contains(TestContainers.MAP_12));
        assertThat(container.rows()).hasValue(165);
        for (Container.Segment segment : container.segments()) {
            int frames = Math.max(1, segment.frames().size());
            ByteBuffer end = reader.postlude().orElseThrow();
            ByteBuffer bytes = reader.segment(segment);
            ArrowMessages messages = ArrowMessages.of(ByteBuffer.allocate(bytes.remaining() + end.remaining())
                    .put(bytes)
                    .put(end)
                    .flip());
            assertThat(messages.types())
                    .containsExactlyElementsOf(
                            Collections.nCopies(frames, List.of(Type.DICTIONARY_BATCH, Type.RECORD_BATCH)).stream()
                                    .flatMap(List::stream)
                                    .toList());
            assertThat(messages.messages().stream()
                            .mapToLong(ArrowMessages.Message::rows)
                            .sum())
                    .isEqualTo(segment.rows().getAsLong());
        }
        assertThat((long) ArrowMessages.of(ByteBuffer.wrap(blob)).end()).isEqualTo(container.contentEnd());
    }

    /** The writers of both languages write the same footer for the same content. */
    @Test
    void aFooterOfPythonHasTheBytesOfJavas() throws IOException {
        byte[] blob = stored("ARROW-python");
        Container container = TestContainers.verified(blob);
        assertThat(ContainerCodec.encode(container))
                .isEqualTo(Arrays.copyOfRange(blob, (int) container.contentEnd(), blob.length));
    }

    @Test
    void opaqueContentStaysReadable() throws IOException {
        byte[] blob = golden(ContentKind.OPAQUE);
        TestContainers.verified(blob);
        ContainerReader reader = ContainerReader.open(TestContainers.ID, TestContainers.source(blob), blob.length);
        List<Container.Segment> segments = reader.container().segments();

        assertThat(reader.container().kind()).isEqualTo(ContentKind.OPAQUE);
        assertThat(reader.prelude().map(GoldenContainerTest::text)).contains("prelude");
        assertThat(reader.postlude().map(GoldenContainerTest::text)).contains("postlude");
        assertThat(segments)
                .extracting(segment -> text(reader.segment(segment)))
                .containsExactly("first of 0", "second of 0", "frame 0oneframe number 2", "x");
        assertThat(segments).extracting(Container.Segment::partition).containsExactly(0, 0, 1, 8191);
        assertThat(segments)
                .extracting(segment -> segment.origin().orElseThrow().attempt())
                .containsExactly(5L, 1L << 40, 1L << 40, 5L);
        assertThat(segments.get(1).offset()).isEqualTo(24);
        assertThat(segments.get(2).frames()).hasSize(3);
        assertThat(text(reader.frame(segments.get(2), 2))).isEqualTo("frame number 2");
        assertThat(reader.container().rows()).isEmpty();
    }

    private static byte[] golden(ContentKind kind) throws IOException {
        if (Boolean.getBoolean("golden.update")) {
            Path file = Path.of("src/test/resources/golden/v2", kind + ".blob");
            return Files.readAllBytes(Files.write(file, TestContainers.golden(kind)));
        }
        return stored(kind.name());
    }

    private static byte[] stored(String name) throws IOException {
        try (InputStream stream = GoldenContainerTest.class.getResourceAsStream("/golden/v2/" + name + ".blob")) {
            assertThat(stream).as(name + ".blob").isNotNull();
            return stream.readAllBytes();
        }
    }

    private static String text(ByteBuffer buffer) {
        return StandardCharsets.UTF_8.decode(buffer).toString();
    }
}
