package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import dev.blobshuffle.kstreams.differential.Drain;
import dev.blobshuffle.kstreams.differential.Instances;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * One real broker for the tests of this package, started by the first class and closed after the
 * last, and what they all ask it and its applications. Owned by the test's thread.
 */
final class RunningKafka implements BeforeAllCallback {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private Started started;

    @Override
    public void beforeAll(ExtensionContext context) {
        started = context.getRoot()
                .getStore(Namespace.create(RunningKafka.class))
                .getOrComputeIfAbsent("broker", name -> new Started(), Started.class);
    }

    String bootstrapServers() {
        return started.kafka.bootstrapServers();
    }

    Admin admin() {
        return started.admin;
    }

    /** An application whose topics are new. */
    ParallelApplication application(String name, Map<String, Object> settings, Path directory) throws Exception {
        return ParallelApplication.create(bootstrapServers(), admin(), name, settings, directory);
    }

    /** Waits until all that an application was given is committed. */
    void drain(ParallelApplication application, Instances instances) throws Exception {
        new Drain(admin(), bootstrapServers(), application.id(), List.of(application.input())).await(instances);
    }

    /** Waits until a condition holds; fails when an instance dies meanwhile. */
    static void await(Instances instances, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            instances.check();
            assertThat(System.nanoTime()).as("time until the condition holds").isLessThan(deadline);
            LockSupport.parkNanos(20_000_000);
        }
    }

    /**
     * Waits until so many threads run, and there is no other: one that died would be, or be
     * missing. A rebalance may be under way.
     */
    static void awaitThreads(Instances instances, KafkaStreams streams, int threads) {
        await(
                instances,
                () -> streams.metadataForLocalThreads().size() == threads
                        && streams.metadataForLocalThreads().stream()
                                .allMatch(thread -> thread.threadState().equals("RUNNING")));
    }

    /** The sum of a metric over threads and tasks. */
    static double sum(KafkaStreams streams, String group, String name) {
        return streams.metrics().values().stream()
                .filter(metric -> metric.metricName().group().equals(group)
                        && metric.metricName().name().equals(name))
                .mapToDouble(metric -> ((Number) metric.metricValue()).doubleValue())
                .sum();
    }

    private static final class Started implements ExtensionContext.Store.CloseableResource, AutoCloseable {
        private final EmbeddedKafka kafka = EmbeddedKafka.builder().start();
        private final Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));

        @Override
        public void close() {
            admin.close();
            kafka.close();
        }
    }
}
