package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;

/** The operators as the BlobShuffle paper shows them, in Figure 1. */
final class FigureOneExample {
    private FigureOneExample() {}

    static KTable<String, Long> count(KStream<String, String> stream, String store) {
        BlobShuffle<String, String> blobShuffle = new BlobShuffle<>(
                "by-user",
                4,
                new StoreConfig(store),
                LocalCacheConfig.off(),
                DistributedCacheConfig.off(),
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
