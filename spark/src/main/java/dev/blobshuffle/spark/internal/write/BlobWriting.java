package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.store.FileRegion;
import dev.blobshuffle.core.internal.store.FileRegions;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Lays out the outputs of some maps as one blob of opaque content: partition after partition, and
 * within a partition by index of the map. So a reader of a partition reads one range. Stateless.
 */
final class BlobWriting {
    private static final Comparator<MapOutput> ORDER =
            Comparator.comparingLong(MapOutput::map).thenComparingLong(MapOutput::attempt);

    private BlobWriting() {}

    /** The most bytes of a frame. A longer segment has several. */
    private static final long FRAME = 1L << 30;

    /** A range of the outputs' bytes, as they follow each other in the blob. */
    private record Part(MapOutput output, int partition, long offset, long length) {}

    /**
     * The content of a blob. It reads the outputs' files once for their checksums, and keeps them
     * open until its last reference is released.
     *
     * @param store fingerprint of the store
     * @param application names the shuffle with the shuffle's number
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException a file is gone
     * @throws dev.blobshuffle.core.failure.BlobCorruptException a file is too short
     */
    static BlobContent content(BlobId blob, int store, String application, List<MapOutput> outputs, long wallMillis) {
        List<Part> parts = parts(outputs.stream().sorted(ORDER).toList());
        FileRegions files = new FileRegions(parts.stream()
                .map(part -> new FileRegion(part.output.file(), part.offset, part.length))
                .toList());
        try {
            ByteBuffer[] last = {ByteBuffer.allocate(0)};
            ContainerWriter writer =
                    new ContainerWriter(blob, store, wallMillis, ContentKind.OPAQUE, bytes -> last[0] = bytes);
            writer.partitions(outputs.get(0).lengths().length);
            writer.section(Zone.SINGLE);
            long at = 0;
            for (Part part : parts) {
                Container.Origin origin = new Container.Origin(
                        "spark/" + application + "/" + part.output.shuffle(), part.output.map(), part.output.attempt());
                writer.gatheredSegment(
                        part.partition,
                        Optional.of(origin),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        frames(files, at, part.length));
                at += part.length;
            }
            Container ignored = writer.finish();
            return content(files, last[0]);
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
    }

    /** The outputs' segments in the order of the blob. */
    private static List<Part> parts(List<MapOutput> outputs) {
        List<Part> parts = new ArrayList<>();
        long[] at = new long[outputs.size()];
        int partitions = outputs.get(0).lengths().length;
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < at.length; i++) {
                long length = outputs.get(i).lengths()[partition];
                if (length > 0) {
                    parts.add(new Part(outputs.get(i), partition, at[i], length));
                    at[i] += length;
                }
            }
        }
        return parts;
    }

    /** Reads a segment while its checksum is computed: the frames, and the pieces of each. */
    private static List<List<ByteBuffer>> frames(FileRegions files, long offset, long length) {
        List<List<ByteBuffer>> frames = new ArrayList<>(1);
        for (long at = 0; at < length; at += FRAME) {
            frames.add(PiecedContent.pieces(files, offset + at, Math.min(FRAME, length - at)));
        }
        return frames;
    }

    private static BlobContent content(FileRegions files, ByteBuffer footer) {
        long maps = files.length();
        PiecedContent.Source source = (offset, target) -> {
            int limit = target.limit();
            if (offset < maps) {
                target.limit((int) Math.min(limit, target.position() + maps - offset));
                files.read(offset, target);
                target.limit(limit);
            }
            int skipped = (int) Math.max(0, offset - maps);
            target.put(footer.slice(skipped, target.remaining()));
        };
        return PiecedContent.of(maps + footer.remaining(), source, files::close);
    }
}
