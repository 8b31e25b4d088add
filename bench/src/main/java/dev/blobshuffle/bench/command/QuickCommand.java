package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.workload.Workloads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run quick}: a first impression in less than three minutes.
 * The minimal shuffle benchmark with three brokers, natively, natively tuned and through blobs in
 * files. It runs as fast as possible, and at 2,000 records per second, where latency is meaningful.
 * It repeats the runs as often as time allows.
 */
@Command(
        name = "quick",
        description = "A first impression in three minutes, with plots; no arguments needed.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class QuickCommand implements Callable<Integer> {
    private static final long RECORDS = 100_000;

    /**
     * Running and waiting threads per processor, counted by the operating system: from the first
     * number on, a machine is busy; beyond the second, the number of records is not reduced
     * further.
     */
    private static final double BUSY = 1.5;

    private static final double MOST_BUSY = 8;

    @Mixin
    private RunOptions options;

    @Option(
            names = "--seconds",
            defaultValue = "165",
            description = "Time for everything: runs that would not end in it are left out.")
    private long seconds;

    @Option(
            names = "--records",
            description =
                    "Records of 1 KiB that a run as fast as possible measures, after half as many; default: 100,000, fewer on a busy machine.")
    private @Nullable Long chosenRecords;

    @Option(names = "--replication", defaultValue = "3", description = "Replication factor, and number of brokers.")
    private String replication;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        if (spec.commandLine().getParseResult().matchedOption("--variants") == null) {
            options.variants = List.of("native", "native-tuned", "blobs-file");
        }
        if (options.report == null) {
            options.report = Path.of("target", "bench", "quick.html");
        }
        if (options.json == null) {
            options.json = options.report.resolveSibling("quick.json");
        }
        long records = chosenRecords != null
                ? chosenRecords
                : recordsFor(Environment.runningThreads().orElse(0), bench);
        Parameters base = options.parameters(Parameters.defaults()
                .with("replication", replication)
                .with("records", Long.toString(records))
                .with("warm-up-records", Long.toString(records / 2))
                .with("warm-up-seconds", "8")
                .with("seconds", "6")
                .with("drain-seconds", "20"));
        return bench.run(
                Workloads.named("shuffle"),
                () -> RunCommand.cells(base, List.of("rate=0,2000")),
                Duration.ofSeconds(seconds));
    }

    /** The number of records that fit into the time. A machine with other work gets fewer. */
    private static long recordsFor(double running, Bench bench) {
        int processors = Runtime.getRuntime().availableProcessors();
        double perProcessor = running / processors;
        if (perProcessor <= BUSY) {
            return RECORDS;
        }
        long fewer = Math.round(RECORDS / Math.min(perProcessor, MOST_BUSY));
        bench.say(String.format(
                Locale.ROOT,
                "The machine is busy (%.0f threads run or wait, %d processors): %d records instead of %d. Only ratios will mean anything.",
                running,
                processors,
                fewer,
                RECORDS));
        return fewer;
    }
}
