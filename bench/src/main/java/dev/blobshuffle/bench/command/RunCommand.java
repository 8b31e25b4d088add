package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Workloads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run}: any workload, with any parameter varied over a list of
 * values.
 */
@Command(
        name = "run",
        aliases = "sweep",
        description =
                "Runs a workload natively and through blobs, with any parameters varied (`bench parameters` lists both).",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class RunCommand implements Callable<Integer> {
    @picocli.CommandLine.Parameters(index = "0", defaultValue = "shuffle", description = "What to run.")
    private String workload;

    @Mixin
    private RunOptions options;

    @Option(
            names = "--vary",
            description =
                    "A parameter and its values, NAME=VALUE,VALUE…; may be repeated: all combinations run, in one interleaved order.")
    private @Nullable List<String> varied;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(spec.commandLine(), options);
        BenchWorkload chosen;
        try {
            chosen = Workloads.named(workload);
        } catch (IllegalArgumentException e) {
            throw bench.invalid(String.valueOf(e.getMessage()));
        }
        return bench.run(chosen, () -> cells(options.parameters(Parameters.defaults()), varied));
    }

    /** Every combination of what is varied. */
    static List<Cell> cells(Parameters base, @Nullable List<String> varied) {
        Map<String, List<String>> dimensions = new LinkedHashMap<>();
        for (String one : varied == null ? List.<String>of() : varied) {
            int equals = one.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "Cannot read --vary " + one + ": it has no name. Give NAME=VALUE,VALUE.");
            }
            dimensions
                    .computeIfAbsent(one.substring(0, equals), name -> new ArrayList<>())
                    .addAll(List.of(one.substring(equals + 1).split(",", -1)));
        }
        return Cell.all(base, dimensions);
    }
}
