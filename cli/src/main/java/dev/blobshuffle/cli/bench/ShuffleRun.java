package dev.blobshuffle.cli.bench;

import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;

/** One run of one variant: instances are started, warmed up, measured, stopped and checked; its topics and files are deleted. Owned by one thread. */
final class ShuffleRun {
    private static final Duration STALLED = Duration.ofSeconds(120);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);

    private final KafkaProcess kafka;
    private final ShuffleInput input;
    private final ShufflePlan plan;

    ShuffleRun(KafkaProcess kafka, ShuffleInput input, ShufflePlan plan) {
        this.kafka = kafka;
        this.input = input;
        this.plan = plan;
    }

    RunResult run(Variant variant, int repetition) throws IOException, InterruptedException, ExecutionException {
        String id = "shuffle-" + variant.label() + "-" + repetition;
        Path directory = plan.directory().resolve(id);
        Path store = variant.store(plan.memory().resolve(id), directory.resolve("blobs"));
        List<ShuffleInstance> instances = new ArrayList<>();
        try {
            if (variant.hasBlobs()) {
                Files.createDirectories(store);
            }
            if (plan.hasOutput()) {
                kafka.createTopic(id + "-output", 2 * plan.partitions());
            }
            Properties settings = plan.settings(variant, id, kafka.bootstrapServers(), store);
            for (int i = 0; i < plan.instances(); i++) {
                Path own = directory.resolve("instance-" + i);
                settings.setProperty("state.dir", own.resolve("state").toString());
                instances.add(ShuffleInstance.start(own, settings, plan.jvmOptions()));
            }
            return measure(instances, variant, repetition);
        } finally {
            instances.forEach(ShuffleInstance::close);
            deleteTopics(id);
            delete(store);
            delete(directory);
        }
    }

    private RunResult measure(List<ShuffleInstance> instances, Variant variant, int repetition)
            throws IOException, InterruptedException {
        Look before = await(instances, plan.warmUpRecords());
        Look after = await(instances, plan.records());
        for (ShuffleInstance instance : instances) {
            instance.stop();
        }
        long count = 0;
        long checksum = 0;
        for (ShuffleInstance instance : instances) {
            ShuffleInstance.Result result = instance.result();
            count += result.count();
            checksum += result.checksum();
        }
        long records = after.count - before.count;
        return new RunResult(
                variant,
                repetition,
                (after.nanos - before.nanos) / 1e9,
                records,
                (double) records * plan.recordBytes() / (1 << 30),
                after.application.since(before.application),
                after.brokers.since(before.brokers),
                count == input.records() && checksum == input.checksum());
    }

    /** Waits until so many records have come out of the shuffle. */
    private Look await(List<ShuffleInstance> instances, long records) throws IOException {
        long last = -1;
        long lastProgress = System.nanoTime();
        while (true) {
            for (ShuffleInstance instance : instances) {
                instance.check();
            }
            long count = instances.stream().mapToLong(ShuffleInstance::count).sum();
            long now = System.nanoTime();
            if (count >= records) {
                return new Look(count, now, CpuTime.of(pids(instances)), CpuTime.of(brokers()));
            }
            if (count > last) {
                last = count;
                lastProgress = now;
            } else if (now - lastProgress > STALLED.toNanos()) {
                throw new IOException("Cannot go on: nothing came out of the shuffle for " + STALLED.toSeconds()
                        + " s, " + count + " of " + records
                        + " records so far. Look at the load and the memory of the machine.");
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    private static List<Long> pids(List<ShuffleInstance> instances) {
        return instances.stream().map(ShuffleInstance::pid).toList();
    }

    private List<Long> brokers() {
        return IntStream.range(0, kafka.brokers()).mapToObj(kafka::pid).toList();
    }

    private void deleteTopics(String id) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
            List<String> own = admin.listTopics().names().get().stream()
                    .filter(topic -> topic.startsWith(id))
                    .toList();
            admin.deleteTopics(own).all().get();
        }
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /**
     * One look at everything.
     *
     * @param count records after the shuffle
     * @param nanos the clock
     */
    private record Look(long count, long nanos, CpuTime application, CpuTime brokers) {}
}
