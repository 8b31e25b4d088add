package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.report.ResultDiff;
import dev.blobshuffle.bench.report.ResultFile;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code blobshuffle bench compare}: two result files, number by number. */
@Command(name = "compare", description = "Compares two files that --json wrote.", mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CompareCommand implements Callable<Integer> {
    @Parameters(index = "0", description = "The older results.")
    private Path before;

    @Parameters(index = "1", description = "The newer results.")
    private Path after;

    @Option(
            names = "--fail-above",
            description =
                    "Fail if a number got worse by more than this percentage, and the repetitions do not overlap: for CI.")
    private @Nullable Double failAbove;

    @Option(names = "--json", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        ResultDiff diff;
        try {
            diff = ResultDiff.of(ResultFile.read(before), ResultFile.read(after));
        } catch (IOException e) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "Cannot compare " + before + " and " + after + ": " + e.getMessage());
        }
        if (diff.changes().isEmpty()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "Cannot compare " + before + " and " + after
                            + ": no workload, variant and varied values are in both. Give results of the same command.");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(diff.table());
        List<ResultDiff.Change> worse = failAbove == null ? List.of() : diff.worseBy(failAbove);
        worse.forEach(change -> out.printf(
                Locale.ROOT, "WORSE by %.1f %%: %s %s%n", change.worseByPercent(), change.subject(), change.number()));
        out.flush();
        if (json != null) {
            Files.writeString(json, Json.write(diff.asJson()));
        }
        return worse.isEmpty() ? 0 : 1;
    }
}
