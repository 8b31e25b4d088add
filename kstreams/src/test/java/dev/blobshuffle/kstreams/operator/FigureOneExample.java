package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/**
 * The operators as Figure 1 of the BlobShuffle paper shows them: the distributed cache on, the
 * local cache off.
 */
final class FigureOneExample {
    private FigureOneExample() {}

    static KTable<String, Long> count(KStream<String, String> stream, String store, Path secretFile) {
        BlobShuffle<String, String> blobShuffle = new BlobShuffle<>(
                "by-user",
                4,
                new StoreConfig(store),
                LocalCacheConfig.off(),
                DistributedCacheConfig.perZone("127.0.0.1:0", secretFile),
                new Zone("eu-central-1a"),
                Serdes.String(),
                Serdes.String(),
                ByteSize.ofMebibytes(16),
                Duration.ofMillis(500));
        return stream.selectKey((key, event) -> event.split(";")[0])
                .process(blobShuffle.batcherSupplier())
                .repartition(blobShuffle.repartitioned())
                .processValues(blobShuffle.debatcherSupplier())
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
                .count();
    }
}
