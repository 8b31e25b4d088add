package dev.blobshuffle.core.internal.format;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Blobs of Arrow and opaque content, written as a front door writes them. Their content is fixed,
 * because these are the golden blobs.
 */
public final class TestContainers {
    static final BlobId ID = new BlobId(29_453_760, 0xfedc_ba98_7654_3210L, 42);
    static final int STORE = 0x0bad_cafe;
    static final long CREATED = 1_767_225_600_001L;
    static final Zone EAST_1 = new Zone("east-1");
    static final Zone EAST_2 = new Zone("east-2");
    static final Container.Origin MAP_12 = new Container.Origin("query-7", 12, 1);

    private TestContainers() {}

    /** A blob in memory, such as the example of the document, a golden blob or hostile bytes. */
    public static byte[] bytes(ContentKind kind, Consumer<ContainerWriter> parts) {
        ByteArrayOutputStream blob = new ByteArrayOutputStream();
        ContainerWriter writer =
                new ContainerWriter(ID, STORE, CREATED, kind, buffer -> blob.writeBytes(array(buffer)));
        parts.accept(writer);
        writer.finish();
        return blob.toByteArray();
    }

    /** The golden blob of a kind. */
    public static byte[] golden(ContentKind kind) {
        return bytes(kind, kind == ContentKind.ARROW ? TestContainers::arrow : TestContainers::opaque);
    }

    /** Five record batches for three partitions in two zones. */
    static void arrow(ContainerWriter writer) {
        List<ArrowMessages.Message> messages = ArrowMessages.example().messages();
        List<ArrowMessages.Message> batches = messages.subList(2, messages.size());
        writer.prelude(joined(messages.subList(0, 2)));
        writer.section(EAST_1);
        arrow(writer, 0, batches.subList(0, 2));
        arrow(writer, 3, batches.subList(2, 3));
        writer.section(EAST_2);
        arrow(writer, 1, batches.subList(3, 5));
    }

    private static void arrow(ContainerWriter writer, int partition, List<ArrowMessages.Message> batches) {
        long rows = batches.stream().mapToLong(ArrowMessages.Message::rows).sum();
        writer.segment(
                partition,
                Optional.of(MAP_12),
                OptionalLong.of(rows),
                OptionalLong.of(40 * rows),
                batches.stream().map(ArrowMessages.Message::bytes).toList());
    }

    /** Two maps, merged partition by partition, with some aligned segments and one in frames. */
    static void opaque(ContainerWriter writer) {
        Optional<Container.Origin> first = Optional.of(new Container.Origin("application-1/0", 0, 5));
        Optional<Container.Origin> second = Optional.of(new Container.Origin("application-1/0", 1, 1L << 40));
        writer.prelude(text("prelude"));
        writer.section(Zone.SINGLE);
        writer.segment(0, first, OptionalLong.empty(), OptionalLong.empty(), List.of(text("first of 0")));
        writer.align();
        writer.segment(0, second, OptionalLong.empty(), OptionalLong.empty(), List.of(text("second of 0")));
        writer.segment(
                1,
                second,
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of(text("frame 0"), text("one"), text("frame number 2")));
        writer.segment(8191, first, OptionalLong.empty(), OptionalLong.empty(), List.of(text("x")));
        writer.postlude(text("postlude"));
    }

    /** A source over an array, which fails a read outside the array. */
    public static ContainerReader.Source source(byte[] blob) {
        return (offset, length) -> {
            if (offset < 0 || length < 0 || length > blob.length - offset) {
                throw new AssertionError("The reader asks for [" + offset + ", +" + length + ") of " + blob.length);
            }
            return ByteBuffer.wrap(blob, (int) offset, length);
        };
    }

    /** Opens a blob and reads all of it. */
    public static Container verified(byte[] blob) {
        ContainerReader reader = ContainerReader.open(ID, source(blob), blob.length);
        reader.verify();
        return reader.container();
    }

    static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static ByteBuffer joined(List<ArrowMessages.Message> messages) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        messages.forEach(message -> bytes.writeBytes(array(message.bytes())));
        return ByteBuffer.wrap(bytes.toByteArray());
    }
}
