package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.util.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Spark runs the readers of blobs where it would run those of native outputs. */
class ReadersPlaceIT {
    private static final int PARTITIONS = 4;

    /**
     * The first map stays native, because it is small; the second gets into a blob. A local master
     * looks for the next task only when one ends. If the readers of the blob wanted a host that no
     * executor has, they would not begin when those of the first map have ended.
     */
    @Test
    void readersOfBlobsDoNotWaitAfterReadersOfNativeOutputs(@TempDir Path directory) throws Exception {
        String host = Utils.localHostName();
        Map<String, String> settings = Map.of(
                "spark.driver.host",
                host,
                "spark.driver.bindAddress",
                host,
                "spark.serializer",
                "org.apache.spark.serializer.KryoSerializer",
                "spark.shuffle.compress",
                "false");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            JavaFutureAction<List<Integer>> sizes = spark.context()
                    .parallelize(List.of(0, 1), 2)
                    .flatMapToPair(map -> IntStream.range(0, PARTITIONS)
                            .filter(key -> key % 2 == map)
                            .mapToObj(key -> new Tuple2<>(key, new byte[map * 1_000]))
                            .iterator())
                    .partitionBy(new HashPartitioner(PARTITIONS))
                    .map(pair -> pair._2().length)
                    .collectAsync();

            assertThat(sizes.get(2, TimeUnit.MINUTES)).containsExactly(0, 1_000, 0, 1_000);
        }
    }
}
