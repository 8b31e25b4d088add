package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.Workloads;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code blobshuffle bench parameters}: what can be run, and what can be varied. */
@Command(
        name = "parameters",
        description = "Lists workloads, variants, and the parameters that --with and --vary know.",
        mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ParametersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
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
        return 0;
    }
}
