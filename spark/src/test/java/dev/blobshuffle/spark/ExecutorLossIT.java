package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
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
    @Tag("nightly")
    void noMapRunsAgainWithSync() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.durability", "sync"))) {
            assertNoMapRunsAgain(spark);
        }
    }

    @Test
    void noMapRunsAgainAfterTheUpload() {
        try (SparkApplication spark = cluster(Map.of("spark.blobshuffle.upload.min.age.ms", "1"))) {
            assertNoMapRunsAgain(spark);
        }
    }

    private void assertNoMapRunsAgain(SparkApplication spark) {
        Shuffle shuffle = new Shuffle(spark);
        await().atMost(LONG).until(() -> SparkApplication.blobs(directory).size() == MAPS);
        end(spark, ProcessHandle::destroyForcibly);

        shuffle.readAgain();
        assertThat(shuffle.runs()).isEqualTo(MAPS);
    }

    /**
     * First an executor is killed. Then one is asked to end, as Kubernetes and YARN do, and dynamic
     * allocation an idle one. Spark knows at once what is lost: no stage runs in vain.
     */
    @Test
    void onlyMapsOfAKilledExecutorRunAgainBeforeTheUploadAndNoneIfItIsAskedToEnd() {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.upload.min.age.ms", "86400000",
                "spark.stage.maxConsecutiveAttempts", "1",
                "spark.shuffle.compress", "false",
                "spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        try (SparkApplication spark = cluster(settings)) {
            Shuffle shuffle = new Shuffle(spark);
            Shuffle small = new Shuffle(spark, MAPS);
            assertThat(ShownMetrics.now()).as("the small one stays with Spark").containsEntry("blobs", (long) MAPS);
            end(spark, ProcessHandle::destroyForcibly);

            small.readAgain();
            assertThat(small.runs()).isBetween(MAPS + 1L, 2L * MAPS - 1);
            shuffle.readAgain();
            long runs = shuffle.runs();
            assertThat(runs).isBetween(MAPS + 1L, 2L * MAPS - 1);

            end(spark, ProcessHandle::destroy);
            shuffle.readAgain();
            assertThat(shuffle.runs()).isEqualTo(runs);
            assertThat(SparkApplication.blobs(directory)).isNotEmpty();
        }
    }

    /** As Kubernetes announces the end of a spot instance. */
    @Test
    @Tag("nightly")
    void noMapRunsAgainIfTheExecutorIsDecommissioned() {
        assertNoMapRunsAgainAfterADecommission(Map.of());
    }

    /**
     * Spark does not wait for uploads then: it removes the executor, which uploads while it stops.
     * So does dynamic allocation on Kubernetes.
     */
    @Test
    @Tag("nightly")
    void noMapRunsAgainIfSparkRemovesTheExecutorBeforeItsLastUploads() {
        assertNoMapRunsAgainAfterADecommission(Map.of("spark.storage.decommission.enabled", "false"));
    }

    private void assertNoMapRunsAgainAfterADecommission(Map<String, String> more) {
        Map<String, String> settings = new TreeMap<>(more);
        settings.put("spark.blobshuffle.upload.min.age.ms", "86400000");
        settings.put("spark.decommission.enabled", "true");
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

    /** A shuffle that was read once. */
    private static final class Shuffle {
        private final LongAccumulator runs;
        private final JavaPairRDD<String, Iterable<Long>> groups;
        private final String expected;

        Shuffle(SparkApplication spark, long rows) {
            runs = spark.session().sparkContext().longAccumulator();
            groups = Programs.counted(spark, runs, MAPS, rows).groupByKey(Programs.PARTITIONS);
            expected = Programs.sums(groups);
            assertThat(runs()).isEqualTo(MAPS);
        }

        Shuffle(SparkApplication spark) {
            this(spark, Programs.ROWS);
        }

        void readAgain() {
            assertThat(Programs.sums(groups)).isEqualTo(expected);
        }

        long runs() {
            return runs.value();
        }
    }

    private static void end(SparkApplication spark, Predicate<ProcessHandle> how) {
        AtomicInteger removed = ends(spark);
        assertThat(how.test(oldestExecutor())).isTrue();
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

    /** It has outputs, unlike one that replaced another. This process has no other children. */
    private static ProcessHandle oldestExecutor() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .min(Comparator.comparing(
                        process -> process.info().startInstant().orElseThrow()))
                .orElseThrow();
    }
}
