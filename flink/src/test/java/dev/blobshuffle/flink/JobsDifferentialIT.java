package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn jobs leave the same with Flink's own exchange and through blobs, also if they fail, or stop
 * and go on. {@code -Ddifferential.jobs} says how many, and {@code -Ddifferential.seed} which is
 * the first; a failure names its seed.
 */
class JobsDifferentialIT {
    private static final int JOBS = Integer.getInteger("differential.jobs", 5);
    private static final long FIRST = Long.getLong("differential.seed", 1);

    /** Seeds from here on are those of the adaptive scheduler. */
    private static final long ADAPTIVE = 1L << 32;

    @TempDir
    private Path directory;

    private static MiniCluster start(String scheduler) throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("taskmanager.memory.network.min", "64 mb");
        configuration.setString("taskmanager.memory.network.max", "64 mb");
        configuration.setString("taskmanager.memory.managed.size", "64 mb");
        configuration.setString("taskmanager.load-balance.mode", "SLOTS");
        configuration.setString("rest.port", "0");
        configuration.setString("jobmanager.scheduler", scheduler);
        MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(3)
                .setNumSlotsPerTaskManager(2)
                .build());
        cluster.start();
        return cluster;
    }

    @Test
    void drawnJobsLeaveWhatNativeOnesLeave() throws Exception {
        try (MiniCluster cluster = start("default")) {
            for (long seed = FIRST; seed < FIRST + JOBS; seed++) {
                assertSame(cluster, seed, 0);
            }
        }
    }

    /** Each time with other settings, another parallelism and other zones. */
    @Test
    void drawnJobsThatStopAndGoOnLeaveWhatNativeOnesLeave() throws Exception {
        try (MiniCluster cluster = start("default")) {
            for (long seed = FIRST; seed < FIRST + JOBS; seed++) {
                assertSame(cluster, ~seed, 1 + (int) (seed % 3));
            }
        }
    }

    @Test
    void drawnJobsLeaveTheSameWithTheAdaptiveScheduler() throws Exception {
        try (MiniCluster cluster = start("adaptive")) {
            for (long seed = FIRST; seed < FIRST + JOBS; seed++) {
                assertSame(cluster, ADAPTIVE + seed, (int) (seed % 3));
            }
        }
    }

    private void assertSame(MiniCluster cluster, long seed, int stops) throws Exception {
        DrawnResults.reset();
        DrawnResults.begin(0);
        String steps = DrawnRun.natively(cluster, seed);
        List<String> expected = DrawnResults.all();

        DrawnResults.reset();
        DrawnRun run = new DrawnRun(cluster, Files.createTempDirectory(directory, "job"), seed);
        String what = "seed " + seed + ": " + steps;
        try {
            run.run(stops);
        } catch (Exception e) {
            throw new AssertionError(what + ":" + run, e);
        }
        assertThat(expected).as(what).isNotEmpty();
        assertThat(difference(DrawnResults.all(), expected))
                .as(what + ":" + run)
                .isEmpty();
        await("instances that stay open, " + what + ":" + run)
                .atMost(Duration.ofMinutes(1))
                .until(() -> TaskInstances.count() == 0);
    }

    /** What only one of two sorted lists has, each line as often as it has it more. */
    private static List<String> difference(List<String> results, List<String> expected) {
        Map<String, Integer> more = new TreeMap<>();
        results.forEach(line -> more.merge(line, 1, Integer::sum));
        expected.forEach(line -> more.merge(line, -1, Integer::sum));
        return more.entrySet().stream()
                .filter(line -> line.getValue() != 0)
                .map(line -> (line.getValue() > 0 ? "more by " : "fewer by ") + Math.abs(line.getValue()) + ": "
                        + line.getKey())
                .toList();
    }
}
