package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.store.BlobId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver is killed. A later one of the same store deletes what it left, and nothing else. */
class DriverLossIT {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final String LEASE = "6000";

    @TempDir
    private Path directory;

    /** Two JVMs that start one after the other, and the length of a lease. */
    @Test
    @Tag("nightly")
    void aLaterDriverDeletesTheBlobsOfAKilledOne() throws Exception {
        killedDriver();
        List<Path> left = SparkApplication.blobs(directory);
        assertThat(left).isNotEmpty();
        Path others = directory.resolve("store").resolve("blobs/00002a/00/0000000001/0000000007-0.blob");
        Files.createDirectories(others.getParent());
        Files.write(others, new byte[] {1});

        Map<String, String> settings =
                Map.of("spark.blobshuffle.durability", "sync", "spark.blobshuffle.lease.ms", LEASE);
        try (SparkApplication later = SparkApplication.withPlugin(directory, settings)) {
            LongAccumulator runs = later.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(later, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);

            await().atMost(LONG).until(() -> left.stream().noneMatch(Files::exists));
            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).as("its own blobs stay").isEqualTo(Programs.MAPS);
            await().atMost(LONG).until(() -> SparkApplication.leases(directory).size() == 1);
        }
        assertThat(SparkApplication.blobs(directory))
                .as("blobs of owner %s, which has no lease", BlobId.hex(42))
                .containsExactly(others);
        assertThat(SparkApplication.leases(directory)).isEmpty();
    }

    /** As a machine does that stood still for longer than the lease. */
    @Test
    void aDriverThatWakesUpTooLateRunsItsMapsAgain() throws Exception {
        Map<String, String> settings =
                Map.of("spark.blobshuffle.durability", "sync", "spark.blobshuffle.lease.ms", "1000");
        try (SparkApplication spark = SparkApplication.withPlugin(directory, settings)) {
            LongAccumulator runs = spark.session().sparkContext().longAccumulator();
            JavaPairRDD<String, Iterable<Long>> groups =
                    Programs.counted(spark, runs).groupByKey(Programs.PARTITIONS);
            String expected = Programs.sums(groups);
            for (Path blob : SparkApplication.blobs(directory)) {
                Files.delete(blob);
            }
            SparkApplication.takeLeases(directory);
            await().atMost(LONG).until(() -> SparkApplication.leases(directory).size() == 1);

            assertThat(Programs.sums(groups)).isEqualTo(expected);
            assertThat(runs.value()).isEqualTo(2L * Programs.MAPS);
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
        assertThat(SparkApplication.leases(directory)).isEmpty();
    }

    /** A machine that sleeps, or a container that is paused, for longer than the lease. */
    @Test
    @Tag("nightly")
    void aSuspendedDriverRunsItsMapsAgainAndHarmsNoOther() throws Exception {
        Process driver = start();
        try {
            awaitWord(driver, LostDriver.STORED);
            List<Path> deleted = SparkApplication.blobs(directory);
            assertThat(deleted).isNotEmpty();
            signal(driver, "STOP");
            Map<String, String> settings =
                    Map.of("spark.blobshuffle.durability", "sync", "spark.blobshuffle.lease.ms", LEASE);
            try (SparkApplication other = SparkApplication.withPlugin(directory, settings)) {
                LongAccumulator runs = other.session().sparkContext().longAccumulator();
                JavaPairRDD<String, Iterable<Long>> groups =
                        Programs.counted(other, runs).groupByKey(Programs.PARTITIONS);
                String expected = Programs.sums(groups);
                await().atMost(LONG).until(() -> deleted.stream().noneMatch(Files::exists));
                signal(driver, "CONT");
                Path ignored = Files.createFile(directory.resolve(LostDriver.GO_ON));

                awaitWord(driver, LostDriver.SAME + 2 * Programs.MAPS);
                assertThat(driver.waitFor()).isZero();
                assertThat(Programs.sums(groups)).isEqualTo(expected);
                assertThat(runs.value()).isEqualTo(Programs.MAPS);
            }
        } finally {
            driver.destroyForcibly().waitFor();
        }
        assertThat(SparkApplication.blobs(directory)).isEmpty();
        assertThat(SparkApplication.leases(directory)).isEmpty();
    }

    private static void signal(Process process, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    private Path output() {
        return directory.resolve("driver.log");
    }

    private void awaitWord(Process driver, String word) throws IOException {
        await().atMost(LONG)
                .until(() -> !driver.isAlive() || Files.readString(output()).contains(word));
        assertThat(Files.readString(output())).contains(word);
    }

    private void killedDriver() throws IOException, InterruptedException {
        Process driver = start();
        try {
            awaitWord(driver, LostDriver.STORED);
        } finally {
            driver.destroyForcibly().waitFor();
        }
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(), "-cp", System.getProperty("java.class.path")));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--add-opens") || flag.startsWith("-Xmx"))
                .forEach(command::add);
        command.addAll(List.of(LostDriver.class.getName(), directory.toString(), LEASE));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output().toFile())
                .start();
    }
}
