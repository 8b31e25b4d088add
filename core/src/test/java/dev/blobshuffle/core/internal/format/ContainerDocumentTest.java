package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The code writes and reads the example of opaque content in {@code docs/format.md}. */
class ContainerDocumentTest {
    private static final Consumer<ContainerWriter> PARTS = writer -> {
        Optional<Container.Origin> first = Optional.of(new Container.Origin("s", 0, 7));
        Optional<Container.Origin> second = Optional.of(new Container.Origin("s", 1, 8));
        writer.prelude(TestContainers.text("pre"));
        writer.section(new Zone("a"));
        writer.segment(3, first, OptionalLong.of(2), OptionalLong.empty(), List.of(TestContainers.text("abc")));
        writer.align();
        List<ByteBuffer> frames = List.of(TestContainers.text("de"), TestContainers.text("f"));
        writer.segment(4, second, OptionalLong.of(1), OptionalLong.empty(), frames);
        writer.postlude(TestContainers.text("post"));
    };

    @Test
    void theWriterMakesTheDocumentsBytes() {
        assertThat(TestContainers.bytes(ContentKind.OPAQUE, PARTS)).isEqualTo(DocumentExample.bytes("opaque"));
    }

    @Test
    void theReaderReadsTheDocumentsBytes() {
        Container container = TestContainers.verified(DocumentExample.bytes("opaque"));
        assertThat(container.rows()).hasValue(3);
        assertThat(container.segments())
                .extracting(segment -> segment.origin().orElseThrow().attempt())
                .containsExactly(7L, 8L);
    }
}
