package dev.blobshuffle.bench.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run of the application over the text, with brokers and instances of its own. Owned by one
 * thread.
 */
final class DemoRun {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Duration PAUSE = Duration.ofMillis(150);

    /** Long enough to look around. The brokers' logs stay below some hundred MB. */
    private static final Duration FEEDING = Duration.ofHours(1);

    private final DemoVariant variant;
    private final DemoOptions options;
    private final Text text;
    private final String store;
    private final Workspace workspace;
    private final Progress progress;

    DemoRun(DemoVariant variant, DemoOptions options, Text text, String store, Workspace workspace, Progress progress) {
        this.variant = variant;
        this.options = options;
        this.text = text;
        this.store = store;
        this.workspace = workspace;
        this.progress = progress;
    }

    /**
     * Runs to the end of the text.
     *
     * @throws DemoFailedException if a process ends by itself, or the run makes no progress for
     *     minutes
     */
    VariantResult run() {
        return run(Optional.empty());
    }

    /**
     * Runs to the end of the text, starts the instances again, and feeds them slowly until the JVM
     * is asked to end. The brokers and the store keep their data meanwhile.
     *
     * @param whenDone receives the result when the text is read
     * @param whenUp receives the addresses of the brokers when the instances work again
     * @throws DemoFailedException if a process ends by itself, or the run makes no progress for
     *     minutes
     */
    void runAndStay(Consumer<VariantResult> whenDone, Consumer<String> whenUp) {
        run(Optional.of(new Stay(whenDone, whenUp)));
    }

    private record Stay(Consumer<VariantResult> whenDone, Consumer<String> whenUp) {}

    private VariantResult run(Optional<Stay> stay) {
        String name = variant.name().toLowerCase(Locale.ROOT);
        progress.begin(variant.title() + ": starting " + options.zones() + " brokers");
        try (DemoCluster cluster = DemoCluster.start(options, workspace.directory(name + "-kafka"));
                Feed feed = new Feed(cluster.bootstrapServers())) {
            createTopics(cluster);
            feed.sendLexicon(text);
            progress.begin(variant.title() + ": starting " + options.instances() + " instances");
            Path directory = workspace.directory(name + "-application");
            VariantResult result;
            try (Instances instances = start(cluster, directory)) {
                await(
                        "the lexicon to be loaded",
                        instances,
                        () -> cluster.isDrained(DemoSettings.APPLICATION_ID, List.of(DemoTopology.LEXICON)));
                result = measure(cluster, feed, instances);
            }
            stay.ifPresent(chosen -> {
                chosen.whenDone().accept(result);
                stay(chosen, cluster, feed, directory);
            });
            return result;
        }
    }

    private Instances start(DemoCluster cluster, Path directory) {
        Instances instances =
                Instances.start(options.instances(), number -> settings(cluster, directory, number), directory);
        await(
                "the instances to start",
                instances,
                () -> instances.areRunning() && cluster.isStable(DemoSettings.APPLICATION_ID, instances.count()));
        return instances;
    }

    private void stay(Stay stay, DemoCluster cluster, Feed feed, Path directory) {
        progress.begin(variant.title() + ": starting " + options.instances() + " instances again");
        try (Instances instances = start(cluster, directory)) {
            stay.whenUp().accept(cluster.bootstrapServers());
            feed.sendAgain(text, FEEDING, instances::check);
            while (true) {
                instances.check();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private VariantResult measure(DemoCluster cluster, Feed feed, Instances instances) {
        int warmUp = text.warmUpLines();
        progress.begin(variant.title() + ": warming up with " + warmUp + " lines");
        Duration feeding = feed.sendLines(text, 0, warmUp, share -> instances.check());
        awaitDrained(cluster, instances);
        instances.beginMeasuring();
        Duration applicationBefore = instances.cpu();
        Duration brokersBefore = cluster.cpu();
        progress.begin(variant.title() + ": reading " + (text.lines().size() - warmUp) + " lines");
        feeding = feeding.plus(feed.sendLines(text, warmUp, text.lines().size(), share -> {
            progress.share(share);
            instances.check();
        }));
        awaitDrained(cluster, instances);
        feed.sendEnd(options.partitions());
        awaitDrained(cluster, instances);
        Duration applicationCpu = instances.cpu().minus(applicationBefore);
        Duration brokerCpu = cluster.cpu().minus(brokersBefore);
        progress.begin(variant.title() + ": stopping, and reading the results");
        DemoMeasurement measured = instances.stop();
        Set<String> shuffleTopics = cluster.shuffleTopics(DemoSettings.APPLICATION_ID);
        long brokerBytes = cluster.logBytes(shuffleTopics);
        return new VariantResult(
                variant,
                measured,
                feeding,
                brokerBytes,
                applicationCpu,
                brokerCpu,
                Outputs.read(cluster),
                variant != DemoVariant.NATIVE ? sweep(cluster, shuffleTopics) : 0);
    }

    /**
     * Purges the shuffle topics, as Kafka Streams does in a longer-lived application, and deletes
     * the blobs, unless they are kept. Returns the number of remaining blobs.
     */
    private long sweep(DemoCluster cluster, Set<String> shuffleTopics) {
        if (options.blobs() == DemoOptions.Blobs.DELETED) {
            progress.begin(variant.title() + ": sweeping the store");
            cluster.purge(shuffleTopics);
            FinalSweep.run(cluster.bootstrapServers(), store);
        }
        return FinalSweep.count(store);
    }

    private void createTopics(DemoCluster cluster) {
        cluster.createTopic(DemoTopology.LINES, options.partitions(), "delete");
        cluster.createTopic(DemoTopology.LEXICON, options.partitions(), "compact");
        cluster.createTopic(DemoTopology.COUNTS, options.partitions(), "delete");
        cluster.createTopic(DemoTopology.MINUTES, options.partitions(), "delete");
        cluster.createTopic(DemoTopology.QUOTATIONS, options.partitions(), "delete");
    }

    private Properties settings(DemoCluster cluster, Path directory, int number) {
        return DemoSettings.of(
                variant,
                options,
                cluster.bootstrapServers(),
                store,
                directory.resolve("state-" + number).toString(),
                workspace.secret().toString(),
                number);
    }

    private void awaitDrained(DemoCluster cluster, Instances instances) {
        List<String> topics = new ArrayList<>(cluster.shuffleTopics(DemoSettings.APPLICATION_ID));
        topics.add(DemoTopology.LINES);
        await("everything to be processed", instances, () -> cluster.isDrained(DemoSettings.APPLICATION_ID, topics));
    }

    private void await(String what, Instances instances, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            instances.check();
            if (System.nanoTime() - deadline > 0) {
                throw new DemoFailedException(
                        "Cannot go on with the demo: waited " + TIMEOUT.toMinutes() + " minutes for " + what
                                + ". Is the machine too busy? Try a smaller --input, fewer --instances or --zones.");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
