package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job with failures finds what Flink's own exchange finds. */
class ExactlyOnceIT {
    @TempDir
    private Path directory;

    @BeforeEach
    void reset() {
        KeyedJob.reset();
    }

    @Test
    void resultsEqualThoseOfKeyByAfterFailures() throws Exception {
        new KeyedJob(directory, 40_000).natively().run(0);
        Map<String, String> expected = KeyedJob.results();
        KeyedJob.reset();
        KeyedJob job = new KeyedJob(directory, 40_000).rate(12_000);

        job.run(2);

        assertThat(KeyedJob.failures()).isEqualTo(2);
        assertThat(KeyedJob.lateRecords()).isZero();
        assertThat(KeyedJob.results()).isEqualTo(expected).isEqualTo(job.expected());
        assertThat(TaskInstances.count()).as("instances that stay open").isZero();
    }
}
