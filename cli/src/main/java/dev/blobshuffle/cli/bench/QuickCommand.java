package dev.blobshuffle.cli.bench;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench quick}: a first impression in about three minutes. The minimal shuffle benchmark with three brokers, natively, natively tuned and through blobs in
 * files: as fast as it goes, and at 5,000 records per second, where latency means something; as many repetitions as fit, at least one.
 */
@Command(
        name = "quick",
        description = "A first impression in about three minutes, with plots; no arguments needed.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class QuickCommand implements Callable<Integer> {
    @Mixin
    private RunOptions options;

    @Option(
            names = "--seconds",
            defaultValue = "130",
            description = "Time after which no run begins, but for those of the first repetition.")
    private long seconds;

    @Option(
            names = "--records",
            defaultValue = "300000",
            description = "Records of 1 KiB that a run as fast as possible measures, after half as many.")
    private long records;

    @Option(names = "--replication", defaultValue = "3", description = "Replication factor, and number of brokers.")
    private String replication;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        if (spec.commandLine().getParseResult().matchedOption("--variants") == null) {
            options.variants = List.of("native", "native-tuned", "blobs-file");
        }
        if (options.report == null) {
            options.report = Files.createDirectories(Path.of("target", "bench")).resolve("quick.html");
        }
        if (options.json == null) {
            options.json = options.report.resolveSibling("quick.json");
        }
        Parameters base = options.parameters(Parameters.defaults()
                .with("replication", replication)
                .with("records", Long.toString(records))
                .with("warm-up-records", Long.toString(records / 2))
                .with("warm-up-seconds", "4")
                .with("seconds", "8"));
        return bench.run(
                Workloads.named("shuffle"),
                () -> RunCommand.cells(base, List.of("rate=0,5000")),
                Duration.ofSeconds(seconds));
    }
}
