package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drawn jobs leave the same with Flink's own exchange and through blobs. {@code
 * -Ddifferential.jobs} says how many, and {@code -Ddifferential.seed} which is the first; a failure
 * names its seed.
 */
class JobsDifferentialIT {
    private static final int JOBS = Integer.getInteger("differential.jobs", 6);

    @TempDir
    private Path directory;

    @Test
    void drawnJobsLeaveWhatNativeOnesLeave() throws Exception {
        long first = Long.getLong("differential.seed", 1);
        for (long seed = first; seed < first + JOBS; seed++) {
            assertSame(seed);
        }
    }

    private void assertSame(long seed) throws Exception {
        int failures = new Random(seed * 31).nextInt(3);
        DrawnResults.reset(0);
        String steps = run(seed, Map.of("parallelism.default", "2"), true, 1e9);
        List<String> all = DrawnResults.all();
        List<String> distinct = DrawnResults.distinct();

        DrawnResults.reset(failures);
        String ignored = run(seed, settings(seed, failures), false, failures > 0 ? 2_500 : 1e9);

        String what = "seed " + seed + ": " + steps;
        if (DrawnResults.failures() == 0) {
            assertThat(DrawnResults.all()).as(what).isEqualTo(all);
        } else {
            assertThat(DrawnResults.distinct()).as(what).isEqualTo(distinct);
        }
        assertThat(TaskInstances.count())
                .as("instances that stay open, " + what)
                .isZero();
    }

    private Map<String, String> settings(long seed, int failures) throws Exception {
        Map<String, String> settings = new HashMap<>(DrawnJob.settings(seed));
        Path own = Files.createTempDirectory(directory, "job");
        settings.put("blobshuffle.store", "file://" + own.resolve("store") + "?fsync=none");
        settings.put("execution.checkpointing.interval", failures > 0 ? "100 ms" : "1 s");
        settings.put(
                "execution.checkpointing.dir",
                own.resolve("checkpoints").toUri().toString());
        return settings;
    }

    private static String run(long seed, Map<String, String> settings, boolean isNative, double rate) throws Exception {
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "3");
        configuration.setString("restart-strategy.fixed-delay.delay", "50 ms");
        configuration.setString("taskmanager.numberOfTaskSlots", "2");
        configuration.setString("minicluster.number-of-taskmanagers", "2");
        configuration.setString("taskmanager.memory.network.min", "32 mb");
        configuration.setString("taskmanager.memory.network.max", "32 mb");
        configuration.setString("rest.port", "0");
        int parallelism = 1 + new Random(seed).nextInt(3);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(isNative ? 2 : parallelism, configuration);
        String steps = DrawnJob.build(environment, seed, isNative, rate);
        environment.execute("seed " + seed);
        return steps;
    }
}
