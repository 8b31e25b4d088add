package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.BlobLayout;
import dev.blobshuffle.core.internal.format.record.FrameEncoder;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.format.record.RecordLayout;
import dev.blobshuffle.core.internal.format.record.SegmentSource;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Small blobs, as instances hand them over. */
final class TestParts {
    static final int STORE = 0x51;
    static final int OWNER = 7;
    static final long GENERATION = 29_000_000;

    private TestParts() {}

    static BlobId id(long writer, long sequence) {
        return new BlobId(OWNER, GENERATION, writer, sequence);
    }

    /** A blob with a segment for each partition; those below 2 are read in zone a, others in b. */
    static BlobLayout layout(BlobId id, int... partitions) {
        List<SegmentSource> segments = new ArrayList<>();
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            for (int partition : partitions) {
                byte[] body = new byte[256];
                byte[] value = (id + "/" + partition).getBytes(StandardCharsets.UTF_8);
                int length = RecordLayout.encode(body, 0, 0, null, value, Headers.NONE);
                segments.add(new SegmentSource(
                        new Zone(partition < 2 ? "a" : "b"),
                        new Partition("t", partition),
                        "lane",
                        5,
                        5,
                        List.of(encoder.encode(body, 0, length, 1, 5))));
            }
        }
        return BlobLayout.of(id, STORE, 0, segments);
    }

    /** A blob with segments of one record each. */
    static BlobLayout layoutOf(BlobId id, byte[] value, int segments) {
        List<SegmentSource> sources = new ArrayList<>();
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            byte[] body = new byte[value.length + 64];
            int length = RecordLayout.encode(body, 0, 0, null, value, Headers.NONE);
            for (int partition = 0; partition < segments; partition++) {
                sources.add(new SegmentSource(
                        new Zone("a"),
                        new Partition("t", partition),
                        "lane",
                        5,
                        5,
                        List.of(encoder.encode(body, 0, length, 1, 5))));
            }
        }
        return BlobLayout.of(id, STORE, 0, sources);
    }

    static byte[] bytes(List<ByteBuffer> buffers) {
        int length = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
        ByteBuffer joined = ByteBuffer.allocate(length);
        buffers.forEach(buffer -> joined.put(buffer.duplicate()));
        return joined.array();
    }

    static byte[] bytes(BlobLayout layout) {
        return bytes(layout.buffers());
    }
}
