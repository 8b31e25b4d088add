package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.cluster.StandaloneSchedulerBackend;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** One of two executors ends between two actions. Executors are processes of their own. */
class ExecutorLossIT {
    private static final Duration LONG = Duration.ofMinutes(3);

    /** Each map has a blob of its own, so an executor has more than a stage may be tried again. */
    private static final int MAPS = 12;

    @TempDir
    private Path directory;

    private SparkApplication cluster(Map<String, String> settings) {
        Map<String, String> configuration = new TreeMap<>(settings);
        configuration.put("spark.blobshuffle.blob.bytes", "1");
        return SparkApplication.cluster(directory, configuration);
    }

    @Test
    void noMapRunsAgainWithSync() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.durability", "sync"))) {
            Shuffle shuffle = new Shuffle(spark);
            killOneExecutor(spark);

            shuffle.readAgain();
            assertThat(shuffle.runs()).isEqualTo(MAPS);
        }
    }

    @Test
    void noMapRunsAgainAfterTheUpload() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.upload.min.age.ms", "1"))) {
            Shuffle shuffle = new Shuffle(spark);
            await().atMost(LONG).until(() -> SparkApplication.blobs(directory).size() == MAPS);
            killOneExecutor(spark);

            shuffle.readAgain();
            assertThat(shuffle.runs()).isEqualTo(MAPS);
        }
    }

    /** As Kubernetes and YARN end an executor, and dynamic allocation an idle one. */
    @Test
    void noMapRunsAgainIfTheExecutorIsAskedToEnd() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.upload.min.age.ms", "86400000"))) {
            Shuffle shuffle = new Shuffle(spark);
            end(spark, ProcessHandle::destroy);

            shuffle.readAgain();
            assertThat(shuffle.runs()).isEqualTo(MAPS);
            assertThat(SparkApplication.blobs(directory)).isNotEmpty();
        }
    }

    /** As Kubernetes announces the end of a spot instance. */
    @Test
    @Tag("nightly")
    void noMapRunsAgainIfTheExecutorIsDecommissioned() {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.upload.min.age.ms", "86400000",
                "spark.decommission.enabled", "true",
                "spark.storage.decommission.enabled", "true",
                "spark.storage.decommission.shuffleBlocks.enabled", "true");
        try (SparkApplication spark = cluster(settings)) {
            Shuffle shuffle = new Shuffle(spark);
            AtomicInteger ended = ends(spark);
            StandaloneSchedulerBackend scheduler =
                    (StandaloneSchedulerBackend) spark.session().sparkContext().schedulerBackend();
            boolean isAccepted = scheduler.decommissionExecutor(
                    "0", new ExecutorDecommissionInfo("test", Option.empty()), false, false);
            assertThat(isAccepted).isTrue();
            await().atMost(LONG).until(() -> ended.get() > 0);

            shuffle.readAgain();
            assertThat(shuffle.runs()).isEqualTo(MAPS);
            assertThat(SparkApplication.blobs(directory)).isNotEmpty();
        }
    }

    @Test
    void onlyMapsOfTheLostExecutorRunAgainBeforeTheUpload() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.upload.min.age.ms", "86400000"))) {
            Shuffle shuffle = new Shuffle(spark);
            killOneExecutor(spark);

            shuffle.readAgain();
            assertThat(shuffle.runs()).isBetween(MAPS + 1L, 2L * MAPS - 1);
        }
    }

    /** A shuffle that was read once. */
    private static final class Shuffle {
        private final LongAccumulator runs;
        private final JavaPairRDD<String, Iterable<Long>> groups;
        private final String expected;

        Shuffle(SparkApplication spark) {
            runs = spark.session().sparkContext().longAccumulator();
            groups = Programs.counted(spark, runs, MAPS).groupByKey(Programs.PARTITIONS);
            expected = Programs.sums(groups);
            assertThat(runs()).isEqualTo(MAPS);
        }

        void readAgain() {
            assertThat(Programs.sums(groups)).isEqualTo(expected);
        }

        long runs() {
            return runs.value();
        }
    }

    private static void killOneExecutor(SparkApplication spark) {
        end(spark, ProcessHandle::destroyForcibly);
    }

    private static void end(SparkApplication spark, Predicate<ProcessHandle> how) {
        AtomicInteger removed = ends(spark);
        long victim = anExecutor(spark);
        assertThat(ProcessHandle.current().descendants())
                .filteredOn(process -> process.pid() == victim)
                .singleElement()
                .satisfies(process -> assertThat(how.test(process)).isTrue());
        await().atMost(LONG).until(() -> removed.get() == 1);
    }

    /** Counts executors that end from now on. */
    private static AtomicInteger ends(SparkApplication spark) {
        AtomicInteger removed = new AtomicInteger();
        spark.session().sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
                removed.incrementAndGet();
            }
        });
        return removed;
    }

    /** The process of the executor that runs a task. */
    private static long anExecutor(SparkApplication spark) {
        return spark.context()
                .parallelize(List.of(0), 1)
                .map(task -> ProcessHandle.current().pid())
                .first();
    }
}
