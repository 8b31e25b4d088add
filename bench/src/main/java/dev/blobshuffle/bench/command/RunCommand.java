package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.PrintWriter;
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
 * values, or a plan that chooses both for one question.
 */
@Command(
        name = "run",
        description =
                "Runs a workload natively and through blobs, with any parameters varied (--list shows both), or a plan: one of the commands below.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        subcommands = {
            QuickCommand.class,
            ThroughputCommand.class,
            OptionsCommand.class,
            SearchCommand.class,
            AdaptiveCommand.class,
            CallsCommand.class
        },
        synopsisSubcommandLabel = "[PLAN]",
        commandListHeading = "Plans:%n")
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

    @Option(
            names = "--list",
            description = "Only list workloads, variants, and the parameters that --with and --vary know.")
    private boolean isListed;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (isListed) {
            list(spec.commandLine().getOut());
            return 0;
        }
        Bench bench = new Bench(spec.commandLine(), options);
        BenchWorkload chosen;
        try {
            chosen = Workloads.named(workload);
        } catch (IllegalArgumentException e) {
            throw bench.invalid(String.valueOf(e.getMessage()));
        }
        return bench.run(chosen, () -> cells(options.parameters(Parameters.defaults()), varied));
    }

    private static void list(PrintWriter out) {
        out.println("Workloads");
        Workloads.all().forEach(workload -> out.printf("  %-22s %s%n", workload.name(), workload.meaning()));
        out.println("Variants");
        for (Variant variant : Variant.values()) {
            out.printf("  %s%n", variant.label());
        }
        out.println("Parameters");
        for (Parameter parameter : Parameter.values()) {
            out.printf("  %-22s %s Default: %s.%n", parameter.label(), parameter.meaning(), parameter.byDefault());
        }
        out.println("Short names of settings");
        Parameters.shortNames().forEach((name, setting) -> out.printf("  %-22s %s%n", name, setting));
        out.flush();
    }

    /** Every combination of the varied values. */
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
