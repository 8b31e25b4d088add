package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.flink.internal.instance.TaskInstances;
import dev.blobshuffle.flink.internal.retain.QuickSweeps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JobManager of a running job deletes only what no completed checkpoint needs. */
@Tag("nightly")
class RetentionIT {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final long FEW = 10;
    private static final long ENDLESS = Long.MAX_VALUE;

    @TempDir
    private Path directory;

    @BeforeEach
    void begin() {
        KeyedJob.reset();
        QuickSweeps.begin();
    }

    @AfterEach
    void end() {
        QuickSweeps.end();
    }

    @Test
    void aRunningJobLosesItsOldBlobsOnly() throws Exception {
        JobClient client = new KeyedJob(directory, 100_000_000)
                .rate(2_000)
                .set("blobshuffle.retention.floor.ms", "0")
                .start();
        await().atMost(LONG).until(() -> !blobs().isEmpty());
        Path blob = blobs().get(0);
        Path old = copyOfAge(blob, 100);
        Path young = copyOfAge(blob, 2);

        await().atMost(LONG).until(() -> !Files.exists(old));
        client.cancel().get();

        assertThat(young).exists();
        awaitEnd();
    }

    /** Each has blobs of its own, and may need those of the job before them. */
    @Test
    void twoJobsOfOneCheckpointDeleteTheirOwnBlobsOnly() throws Exception {
        KeyedJob job = new KeyedJob(directory, 100_000_000)
                .rate(2_000)
                .set("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION")
                .set("blobshuffle.retention.floor.ms", "0");
        JobClient first = job.start();
        await().atMost(LONG).until(() -> KeyedJob.completedCheckpoints() >= 2 && !blobs().isEmpty());
        first.cancel().get();
        awaitEnd();
        Path oldest = copyOfAge(blobs().get(0), 100);

        job.set("execution.state-recovery.path", newestCheckpoint())
                .set("execution.state-recovery.claim-mode", "NO_CLAIM");
        List<JobClient> both = List.of(job.start(), job.start());
        await().atMost(LONG).until(() -> blobsByOwner().size() == 3);
        for (List<Path> own : blobsByOwner().values()) {
            if (!own.contains(oldest)) {
                Path old = copyOfAge(own.get(0), 100);
                await().atMost(LONG).until(() -> !Files.exists(old));
            }
        }
        for (JobClient client : both) {
            client.cancel().get();
        }
        awaitEnd();

        assertThat(oldest).exists();
        assertThat(blobsByOwner()).hasSize(3);
    }

    /** What a part needs that has ended is known: nothing. It reports no more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void blobsGoWhenAPartOfTheSendersHasEnded(boolean putsAfterBarrier) throws Exception {
        StreamExecutionEnvironment environment = environment(putsAfterBarrier);
        keep(BlobShuffle.keyBy(
                numbers(environment, FEW).union(numbers(environment, ENDLESS)),
                number -> number,
                BlobShuffleOptions.named("both")));

        requireOldBlobsGo(environment.executeAsync("a part of the senders ends"));
    }

    /** The shuffles of a job share its blobs. */
    @Test
    void blobsGoWhenOneOfTheShufflesHasEnded() throws Exception {
        StreamExecutionEnvironment environment = environment(false);
        keep(BlobShuffle.keyBy(numbers(environment, FEW), number -> number, BlobShuffleOptions.named("few")));
        keep(BlobShuffle.keyBy(numbers(environment, ENDLESS), number -> number, BlobShuffleOptions.named("endless")));

        requireOldBlobsGo(environment.executeAsync("a shuffle ends"));
    }

    /** Retains so many checkpoints that the short input ends before they are complete. */
    private StreamExecutionEnvironment environment(boolean putsAfterBarrier) {
        Configuration configuration = new Configuration();
        configuration.setString(
                "blobshuffle.store", directory.resolve("store").toUri().toString());
        configuration.setString("blobshuffle.native.in.zone", "false");
        configuration.setString("blobshuffle.inline.max.bytes", "0");
        configuration.setString("blobshuffle.batch.max.delay.ms", "20");
        configuration.setString("blobshuffle.retention.floor.ms", "0");
        configuration.setString("blobshuffle.put.after.barrier", String.valueOf(putsAfterBarrier));
        configuration.setString("execution.checkpointing.interval", "200 ms");
        configuration.setString("execution.checkpointing.num-retained", "10");
        configuration.setString(
                "execution.checkpointing.dir",
                directory.resolve("checkpoints").toUri().toString());
        configuration.setString("rest.port", "0");
        return StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
    }

    private static DataStream<Long> numbers(StreamExecutionEnvironment environment, long count) {
        DataGeneratorSource<Long> source =
                new DataGeneratorSource<>(number -> number, count, RateLimiterStrategy.perSecond(1_000), Types.LONG);
        return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "numbers below " + count);
    }

    private static void keep(KeyedStream<Long, Long> stream) {
        stream.reduce((one, other) -> other).sinkTo(new DiscardingSink<>());
    }

    private void requireOldBlobsGo(JobClient client) throws Exception {
        await().atMost(LONG).until(() -> !blobs().isEmpty());
        Path old = copyOfAge(blobs().get(0), 100);

        await().atMost(LONG)
                .failFast("the job has ended", client.getJobExecutionResult()::isDone)
                .until(() -> !Files.exists(old));

        client.cancel().get();
        awaitEnd();
    }

    private String newestCheckpoint() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("checkpoints"))) {
            return files.filter(file -> file.endsWith("_metadata"))
                    .map(Path::getParent)
                    .max(Comparator.comparing(path -> path.toFile().lastModified()))
                    .orElseThrow()
                    .toUri()
                    .toString();
        }
    }

    /** Until then tasks and sweeps may write into the directory, which is deleted next. */
    private static void awaitEnd() {
        await().atMost(LONG).until(() -> TaskInstances.count() == 0 && !isSweeping());
    }

    private Map<String, List<Path>> blobsByOwner() throws IOException {
        Path blobs = directory.resolve("store/flink/blobs");
        return blobs().stream()
                .collect(Collectors.groupingBy(
                        blob -> blobs.relativize(blob).getName(0).toString()));
    }

    private static boolean isSweeping() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().contains("blobshuffle-sweeper"));
    }

    /** As if the blob had been stored so many minutes before. */
    private static Path copyOfAge(Path blob, long minutes) throws IOException {
        Path generation = blob.getParent();
        Path earlier = generation.resolveSibling(String.format(
                Locale.ROOT, "%010d", Long.parseLong(generation.getFileName().toString()) - minutes));
        Files.createDirectories(earlier);
        return Files.copy(blob, earlier.resolve(blob.getFileName()));
    }

    /** Blobs with an owner: those without one check that the store works. */
    private List<Path> blobs() throws IOException {
        Path store = directory.resolve("store");
        if (!Files.exists(store)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(store)) {
            return files.filter(file -> file.toString().matches(".*/blobs/[0-9a-f]{6}/.*[.]blob"))
                    .toList();
        } catch (UncheckedIOException e) {
            return List.of(); // A file was deleted meanwhile; the caller looks again.
        }
    }
}
