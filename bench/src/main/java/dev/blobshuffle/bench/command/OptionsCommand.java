package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.run.OptionStudy;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Workloads;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run options}: the options that Theodolite's authors studied,
 * each alone against the defaults, natively and through blobs.
 */
@Command(
        name = "options",
        description =
                "Theodolite's study of options: topology optimization, replicas of topics, standby and warm-up replicas, each alone.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class OptionsCommand implements Callable<Integer> {
    @Parameters(index = "0", defaultValue = "uc3", description = "What to run.")
    private String workloadName;

    @Mixin
    private RunOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        if (spec.commandLine().getParseResult().matchedOption("--variants") == null) {
            options.variants = List.of("native", "blobs-file");
        }
        BenchWorkload workload;
        try {
            workload = Workloads.named(workloadName);
        } catch (IllegalArgumentException e) {
            throw bench.invalid(String.valueOf(e.getMessage()));
        }
        return bench.run(workload, () -> OptionStudy.cells(options.parameters(OptionStudy.base())));
    }
}
