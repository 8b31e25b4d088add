package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.application.BenchApplication;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.ApplicationProcess;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.process.Generator;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Observed;
import dev.blobshuffle.bench.workload.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * One run of one variant: instances are started, warmed up, measured, stopped and checked; its
 * topics and files are deleted. Owned by one thread.
 */
final class Run implements AutoCloseable {
    private static final Duration STALLED = Duration.ofSeconds(120);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);
    private static final double NANOS = 1e9;

    private final BenchPlan plan;
    private final Cluster cluster;
    private final Cell cell;
    private final Variant variant;
    private final int repetition;
    private final Parameters parameters;
    private final Topics topics;
    private final Path directory;
    private final RunStore store;
    private final Instances instances = new Instances(this::startInstance);
    private final List<Sample> samples = new ArrayList<>();

    /**
     * A run.
     *
     * @param id distinguishes its topics and files from those of other runs
     * @param input the input topic, which exists or will be created
     */
    Run(BenchPlan plan, Cluster cluster, Cell cell, Variant variant, int repetition, String id, String input)
            throws IOException {
        this.plan = plan;
        this.cluster = cluster;
        this.cell = cell;
        this.variant = variant;
        this.repetition = repetition;
        parameters = cell.parameters();
        topics = new Topics(id, input);
        directory = plan.directory().resolve(id);
        Path blobs = variant == Variant.BLOBS_MEMORY ? plan.memory().resolve(id) : directory.resolve("blobs");
        store = RunStore.open(variant, blobs, parameters);
    }

    private void start() throws IOException {
        int partitions = parameters.count(Parameter.PARTITIONS);
        for (String topic : workload().topics(parameters)) {
            // Topics that are joined or merged with the input must have the same number of
            // partitions.
            cluster.createTopic(topics.own(topic), partitions);
        }
        workload().prepared(parameters).forEach((topic, messages) -> cluster.write(topics.own(topic), messages));
        instances.start(parameters.count(Parameter.INSTANCES));
    }

    private ApplicationProcess startInstance(int number) throws IOException {
        Path own = directory.resolve("instance-" + number);
        Properties settings = new Properties();
        parameters.addTo(settings);
        settings.setProperty("application.id", topics.applicationId());
        settings.setProperty("bootstrap.servers", cluster.bootstrapServers());
        settings.setProperty("num.stream.threads", parameters.text(Parameter.THREADS));
        settings.setProperty("processing.guarantee", parameters.text(Parameter.GUARANTEE));
        settings.setProperty("commit.interval.ms", parameters.text(Parameter.COMMIT_INTERVAL_MS));
        settings.setProperty("auto.offset.reset", "earliest");
        settings.setProperty("state.dir", own.resolve("state").toString());
        settings.setProperty(BenchApplication.OWN + "workload", workload().name());
        settings.setProperty(BenchApplication.OWN + "input", topics.input());
        settings.setProperty(BenchApplication.OWN + "operators", Boolean.toString(variant.hasOperators()));
        parameters.settings().forEach(settings::setProperty);
        variant.addTo(settings, store.uri());
        if (variant.hasBlobs()) {
            int zones = parameters.count(Parameter.ZONES);
            if (zones > 1) {
                settings.setProperty("blobshuffle.zone", "zone-" + number % zones);
            }
            if (parameters.flag(Parameter.ZONE_CACHE)) {
                ZoneCache.addTo(settings, directory);
            }
            parameters.blobSettings().forEach(settings::setProperty);
        }
        List<String> options = new ArrayList<>(store.jvmOptions());
        options.addAll(plan.jvmOptions());
        return ApplicationProcess.start(own, BenchApplication.class, settings, options);
    }

    private BenchWorkload workload() {
        return plan.workload();
    }

    /** Reads an existing input as fast as possible. */
    RunResult drain(CheckedInput input) throws IOException, InterruptedException {
        start();
        long all = input.expectation().shuffled();
        long warmUp = Math.round(all * (double) parameters.number(Parameter.WARM_UP_RECORDS) / parameters.allRecords());
        await(() -> instances.count() >= warmUp);
        Look before = measure();
        await(() -> {
            sample(before, all - instances.count());
            return instances.count() >= all;
        });
        Look after = endMeasuring();
        return result(input, before, after, Optional.empty());
    }

    /** Reads an input that a load generator sends meanwhile. */
    RunResult follow() throws IOException, InterruptedException {
        cluster.createInput(topics.input(), parameters);
        start();
        await(instances::areRunning);
        if (!workload().prepared(parameters).isEmpty()) {
            await(() -> cluster.isDrained(
                    topics.applicationId(),
                    workload().prepared(parameters).keySet().stream()
                            .map(topics::own)
                            .toList()));
        }
        try (Generator generator =
                CheckedInput.generator(cluster, workload(), parameters, topics.input(), directory.resolve("load"))) {
            long begin = System.nanoTime() + (generator.start() - System.currentTimeMillis()) * 1_000_000;
            // Runs beside the run. On a busy machine the window would otherwise end before all
            // records are generated again.
            FutureTask<CheckedInput> expected =
                    new FutureTask<>(() -> CheckedInput.of(workload(), parameters, topics.input(), generator.start()));
            Thread recomputing = new Thread(expected, "expectation-" + topics.applicationId());
            recomputing.setDaemon(true);
            recomputing.start();
            long warm = begin + parameters.number(Parameter.WARM_UP_SECONDS) * 1_000_000_000;
            await(() -> {
                generator.check();
                // Killing an instance before it has processed records tests nothing.
                return System.nanoTime() >= warm && (!parameters.hasFaults() || instances.count() > 0);
            });
            Look before = measure();
            long measuredFrom = parameters.hasFaults() ? before.nanos : warm;
            long end = measuredFrom + parameters.number(Parameter.SECONDS) * 1_000_000_000;
            Happenings happenings = Happenings.of(
                    parameters, new Random(plan.seed() + repetition), measuredFrom, end, instances, cluster);
            await(() -> {
                generator.check();
                happenings.doWhatIsDue();
                sample(before, generator.sent());
                return System.nanoTime() >= end;
            });
            Look after = endMeasuring();
            CheckedInput input = finished(expected);
            double perRecord = input.expectation().shuffled() / (double) parameters.allRecords();
            samples.replaceAll(sample -> sample.ofSent(perRecord));
            return result(input, before, after, drained(generator, input));
        }
    }

    private static CheckedInput finished(FutureTask<CheckedInput> expected) throws IOException, InterruptedException {
        try {
            return expected.get();
        } catch (ExecutionException e) {
            throw new IOException("Cannot tell what must come out: " + e.getCause(), e.getCause());
        }
    }

    /** Waits for the remaining records. Returns the problem if they do not arrive. */
    private Optional<String> drained(Generator generator, CheckedInput input) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + parameters.number(Parameter.DRAIN_SECONDS) * 1_000_000_000;
        boolean isCounted =
                !parameters.hasFaults() && workload().prepared(parameters).isEmpty();
        await(() -> {
            generator.check();
            boolean isAll = generator.isDone()
                    && (isCounted
                            ? instances.count() >= input.expectation().shuffled()
                            : cluster.isDrained(topics.applicationId(), inputs()));
            return isAll || System.nanoTime() > deadline;
        });
        boolean isLate = System.nanoTime() > deadline;
        return isLate
                ? Optional.of("overload: " + instances.count() + " of "
                        + input.expectation().shuffled() + " records had come out "
                        + parameters.text(Parameter.DRAIN_SECONDS) + " s after the last was sent")
                : Optional.empty();
    }

    private List<String> inputs() {
        List<String> inputs = new ArrayList<>(List.of(topics.input()));
        workload().topics(parameters).stream()
                .filter(topic -> !topic.equals("output"))
                .map(topics::own)
                .forEach(inputs::add);
        return inputs;
    }

    /** Ends the warm-up. */
    private Look measure() throws IOException {
        instances.measure();
        samples.clear();
        return look();
    }

    /** Ends the measured part. */
    private Look endMeasuring() throws IOException {
        instances.endMeasuring();
        return look();
    }

    /**
     * @param backlog records that the shuffle still has to output; before {@link Sample#ofSent},
     *     all sent records
     */
    private void sample(Look start, long backlog) {
        double seconds = (System.nanoTime() - start.nanos) / NANOS;
        if (samples.isEmpty() || seconds - samples.get(samples.size() - 1).seconds() >= 1) {
            samples.add(new Sample(seconds, instances.count(), backlog));
        }
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private void await(Condition condition) throws IOException, InterruptedException {
        long last = -1;
        long lastProgress = System.nanoTime();
        while (!condition.holds()) {
            instances.check();
            long count = instances.count();
            long now = System.nanoTime();
            if (count != last) {
                last = count;
                lastProgress = now;
            } else if (now - lastProgress > STALLED.toNanos()) {
                throw new IOException("Cannot go on: nothing came out of the shuffle for " + STALLED.toSeconds()
                        + " s, " + count + " records so far. Look at the load and the memory of the machine.");
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    private Look look() throws IOException {
        boolean isWhole = !parameters.hasKills();
        return new Look(
                instances.count(),
                System.nanoTime(),
                isWhole ? instances.cpu() : CpuTime.UNKNOWN,
                isWhole ? cluster.cpu() : CpuTime.UNKNOWN,
                store.cpu());
    }

    private RunResult result(CheckedInput input, Look before, Look after, Optional<String> overload)
            throws IOException, InterruptedException {
        Measured measured = Measured.of(instances.stop());
        long records = after.count - before.count;
        double bytesPerRecord = input.expectation().shuffledBytes()
                / (double) Math.max(1, input.expectation().shuffled());
        RunResult.Window window = new RunResult.Window(
                (after.nanos - before.nanos) / NANOS,
                records,
                records * bytesPerRecord,
                after.application.since(before.application),
                after.brokers.since(before.brokers),
                after.store.since(before.store),
                workload().isStamped() || parameters.hasRate());
        Optional<String> problem = overload.or(() -> input.expectation().problem(new Outcome(measured)))
                .or(() -> new MeasuredTime(window.seconds(), before.count, records, measured.count() - after.count)
                        .problem(parameters));
        return new RunResult(
                workload().name(), variant, cell, repetition, window, measured, List.copyOf(samples), problem);
    }

    /** The output, for the check. */
    private final class Outcome implements Observed {
        private final Measured measured;

        private Outcome(Measured measured) {
            this.measured = measured;
        }

        @Override
        public Topics topics() {
            return topics;
        }

        @Override
        public long count() {
            return measured.count();
        }

        @Override
        public long checksum() {
            return measured.checksum();
        }

        @Override
        public long dropped() {
            return Math.round(measured.counter("dropped-records-total"));
        }

        @Override
        public void read(String topic, BiConsumer<byte[], byte[]> receiver) {
            try {
                cluster.read(
                        topic,
                        record -> receiver.accept(
                                record.key() == null ? new byte[0] : record.key(),
                                record.value() == null ? new byte[0] : record.value()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UncheckedIOException(new IOException("Cannot read what came out: interrupted.", e));
            }
        }
    }

    @Override
    public void close() throws IOException {
        instances.close();
        try {
            cluster.deleteTopics(topics.applicationId());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Cannot delete the topics of a run: interrupted.", e);
        } finally {
            store.close();
            Directories.delete(directory);
        }
    }

    /**
     * One reading of all counts.
     *
     * @param count records after the shuffle
     * @param nanos the clock
     */
    private record Look(long count, long nanos, CpuTime application, CpuTime brokers, CpuTime store) {}
}
