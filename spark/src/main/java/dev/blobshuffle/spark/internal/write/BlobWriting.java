package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerWriter;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
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

    /** An output in memory regions, with what its segments say of it. */
    private record Source(MapOutput output, MappedFile file, Optional<Container.Origin> origin) {}

    /**
     * The content of a blob.
     *
     * @param store fingerprint of the store
     * @param application names the shuffle with the shuffle's number
     * @throws IOException a file is gone or damaged
     */
    static BlobContent content(BlobId blob, int store, String application, List<MapOutput> outputs, long wallMillis)
            throws IOException {
        List<Source> sources = new ArrayList<>();
        for (MapOutput output : outputs.stream().sorted(ORDER).toList()) {
            Container.Origin origin = new Container.Origin(
                    "spark/" + application + "/" + output.shuffle(), output.map(), output.attempt());
            sources.add(new Source(output, MappedFile.open(output.file(), output.bytes()), Optional.of(origin)));
        }
        List<ByteBuffer> parts = new ArrayList<>();
        ContainerWriter writer = new ContainerWriter(blob, store, wallMillis, ContentKind.OPAQUE, parts::add);
        int partitions = outputs.get(0).lengths().length;
        writer.partitions(partitions);
        writer.section(Zone.SINGLE);
        long[] at = new long[sources.size()];
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < at.length; i++) {
                Source source = sources.get(i);
                long length = source.output.lengths()[partition];
                if (length > 0) {
                    writer.segment(
                            partition,
                            source.origin,
                            OptionalLong.empty(),
                            OptionalLong.empty(),
                            source.file.slices(at[i], length));
                    at[i] += length;
                }
            }
        }
        Container ignored = writer.finish();
        return BlobContent.of(parts, () -> {});
    }
}
