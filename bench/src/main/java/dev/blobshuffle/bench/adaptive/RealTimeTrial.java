package dev.blobshuffle.bench.adaptive;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.RequestCounts;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.simulator.trial.Batched;
import dev.blobshuffle.simulator.trial.BatchedResult;
import dev.blobshuffle.simulator.trial.Intervals;
import dev.blobshuffle.simulator.trial.SwingingLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A {@link SwingingLoad} in real time: a broker, an S3 simulator with the load's profile, and three
 * zones with a producer and a consumer each, all in this JVM. Every record is checked: read once,
 * and in order.
 *
 * @param load how it swings
 * @param warmUp time before anything is measured
 * @param length time that is measured
 */
public record RealTimeTrial(SwingingLoad load, Duration warmUp, Duration length) {
    /** Number of zones, and of instances. */
    public static final int ZONES = 3;

    static final int PARTITIONS = 6;
    static final String TOPIC = "adaptive";
    private static final String BUCKET = "adaptive";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long STORE_BYTES = 1L << 30;

    /**
     * The outcome of a run.
     *
     * @param records that were read
     * @param metrics the latency metrics of each producer's engine at the end
     */
    public record Outcome(BatchedResult result, long records, List<Map<String, Double>> metrics) {}

    /** Runs it. Blocks for its time and some seconds. */
    public Outcome run(Batched batched, Duration target) throws Exception {
        Properties before = (Properties) System.getProperties().clone();
        System.setProperty("aws.accessKeyId", "bench");
        System.setProperty("aws.secretAccessKey", "bench");
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().start();
                S3Sim sim = S3Sim.builder()
                        .bucket(BUCKET)
                        .bytes(STORE_BYTES)
                        .latency(SwingingLoad.STORE)
                        .start();
                SystemTime time = new SystemTime()) {
            kafka.createTopic(TOPIC, PARTITIONS);
            return new Run(batched, target, kafka, sim, time).run();
        } finally {
            System.setProperties(before);
        }
    }

    private final class Run {
        private final Batched batched;
        private final Duration target;
        private final EmbeddedKafka kafka;
        private final S3Sim sim;
        private final SystemTime time;
        private final Intervals intervals = new Intervals(Double.MAX_VALUE);
        private final CompletableFuture<RequestCounts> first = new CompletableFuture<>();
        private final CompletableFuture<RequestCounts> last = new CompletableFuture<>();

        Run(Batched batched, Duration target, EmbeddedKafka kafka, S3Sim sim, SystemTime time) {
            this.batched = batched;
            this.target = target;
            this.kafka = kafka;
            this.sim = sim;
            this.time = time;
        }

        Outcome run() throws InterruptedException, ExecutionException, TimeoutException {
            long start = time.nanos();
            Time.Cancellable begin = time.schedule(warmUp, () -> first.complete(sim.counts()));
            Time.Cancellable end = time.schedule(warmUp.plus(length), () -> last.complete(sim.counts()));
            Time.Workers threads = time.blockingWorkers("bench-adaptive", 2 * ZONES);
            List<CompletableFuture<Long>> readers = new ArrayList<>();
            List<CompletableFuture<TimedWriter.Sent>> writers = new ArrayList<>();
            for (int zone = 0; zone < ZONES; zone++) {
                TimedReader reader = new TimedReader(settings(zone), zone, time, (appended, latency) -> {
                    double at = (appended - start) / 1e9 - warmUp.toMillis() / 1e3;
                    if (at >= 0) {
                        intervals.add(at, latency / 1e9);
                    }
                });
                TimedWriter writer = new TimedWriter(settings(zone), zone, load, time);
                readers.add(start(threads, reader::readAll));
                writers.add(start(threads, () -> writer.write(start, warmUp.plus(length))));
            }
            try {
                return outcome(readers, writers);
            } finally {
                begin.cancel();
                end.cancel();
            }
        }

        private Outcome outcome(
                List<CompletableFuture<Long>> readers, List<CompletableFuture<TimedWriter.Sent>> writers)
                throws InterruptedException, ExecutionException, TimeoutException {
            Duration most = warmUp.plus(length).plus(PATIENCE);
            long sent = 0;
            List<Map<String, Double>> metrics = new ArrayList<>();
            for (CompletableFuture<TimedWriter.Sent> writer : writers) {
                TimedWriter.Sent each = writer.get(most.toMillis(), TimeUnit.MILLISECONDS);
                sent += each.records();
                metrics.add(each.metrics());
            }
            long read = 0;
            for (CompletableFuture<Long> reader : readers) {
                read += reader.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            }
            if (read != sent) {
                throw new IllegalStateException("Of " + sent + " records " + read + " were read. This is a defect.");
            }
            double puts = perSecond(Operation.PUT_OBJECT);
            double gets = perSecond(Operation.GET_OBJECT);
            return new Outcome(intervals.result(batched, length.toSeconds(), puts, gets), read, metrics);
        }

        private double perSecond(Operation operation) throws ExecutionException, InterruptedException {
            return (last.get().of(operation) - first.get().of(operation)) / (length.toMillis() / 1e3);
        }

        private Map<String, Object> settings(int zone) {
            Map<String, Object> settings = new HashMap<>();
            settings.put("bootstrap.servers", kafka.bootstrapServers());
            settings.put("auto.offset.reset", "earliest");
            settings.put(
                    "blobshuffle.store",
                    "s3://" + BUCKET + "/blobs?region=us-east-1&path-style=true&endpoint=" + sim.endpoint());
            settings.put("blobshuffle.topics.include", TOPIC);
            settings.put("blobshuffle.membership.topic", "members");
            settings.put("blobshuffle.zone", "zone-" + zone);
            settings.put("blobshuffle.inline.max.bytes", "0");
            settings.put("blobshuffle.batch.max.bytes", SwingingLoad.scaled(batched.mebibytes()));
            String delay =
                    batched.adaptive() ? "blobshuffle.batch.target.latency.ms" : "blobshuffle.batch.max.delay.ms";
            settings.put(delay, (batched.adaptive() ? target : batched.delay()).toMillis());
            return settings;
        }
    }

    private static <T> CompletableFuture<T> start(Time.Workers threads, Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                result.complete(task.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
