package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.calls.CallBench;
import dev.blobshuffle.bench.calls.CallCell;
import dev.blobshuffle.bench.calls.CallCharts;
import dev.blobshuffle.bench.calls.CallResult;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.report.HtmlReport;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run calls}: a service that takes 5, 20 or 250 ms for each
 * record, called by plain Kafka Streams and in parallel, beside the possible maximum. The first
 * rows are those of the Thulawa paper's Table 2: 215 records per second.
 */
@Command(
        name = "calls",
        description = "Slow functions: Kafka Streams as it is against calls in parallel.",
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CallsCommand implements Callable<Integer> {
    @Option(names = "--seconds", defaultValue = "10", description = "Seconds that each row is measured.")
    private int seconds;

    @Option(names = "--warm-up-seconds", defaultValue = "4", description = "Seconds before that.")
    private int warmUpSeconds;

    @Option(names = "--rows", defaultValue = ".*", description = "Regular expression for the names of rows.")
    private String rows;

    @Option(names = "--guarantee", defaultValue = "at_least_once", description = "Kafka Streams' processing.guarantee.")
    private String guarantee;

    @Option(names = "--commit-interval-ms", defaultValue = "5000", description = "Kafka Streams' commit.interval.ms.")
    private long commitIntervalMillis;

    @Option(names = "--json", description = "File for all numbers as JSON, with each second's.")
    private @Nullable Path json;

    @Option(names = "--plots", paramLabel = "DIR", description = "Directory for plots as SVG and PNG.")
    private @Nullable Path plots;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        List<CallCell> cells = cells();
        Map<String, Object> environment = Environment.asJson();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%-15s %-14s %7s %9s %9s %9s %9s %6s %10s %6s %7s %7s%n",
                "row",
                "variant",
                "offered",
                "achieved",
                "maximum",
                "p50 ms",
                "p99 ms",
                "lost",
                "inversions",
                "batch",
                "app us",
                "serv us");
        out.flush();
        List<CallResult> results = run(cells, out);
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.put("rows", results.stream().map(CallResult::asJson).toList());
            Files.writeString(json, Json.write(all));
        }
        if (plots != null) {
            HtmlReport.writePlots(CallCharts.of(results), plots);
        }
        boolean isRight = results.stream().allMatch(CallResult::isRight);
        out.println(
                isRight
                        ? "Every record that was committed has its result, once and in order."
                        : "WRONG: results are missing, doubled or out of order.");
        out.flush();
        return isRight ? 0 : 1;
    }

    private List<CallCell> cells() {
        List<CallCell> cells = CallCell.all().stream()
                .filter(cell -> cell.name().matches(rows))
                .toList();
        if (cells.isEmpty() || seconds < 1 || warmUpSeconds < 0) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "Cannot measure rows " + rows + " for " + seconds + " s after " + warmUpSeconds
                            + " s: there are none, or the time is none. Rows are "
                            + CallCell.all().stream()
                                    .map(CallCell::name)
                                    .distinct()
                                    .toList() + ", and --seconds is 1 or more.");
        }
        return cells;
    }

    private List<CallResult> run(List<CallCell> cells, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException {
        Path directory = Files.createTempDirectory("blobshuffle-calls");
        try {
            return new CallBench(
                            guarantee,
                            Duration.ofMillis(commitIntervalMillis),
                            Duration.ofSeconds(warmUpSeconds),
                            Duration.ofSeconds(seconds))
                    .run(cells, directory, result -> print(out, result));
        } finally {
            Directories.delete(directory);
        }
    }

    private static void print(PrintWriter out, CallResult result) {
        CallCell cell = result.cell();
        out.printf(
                Locale.ROOT,
                "%-15s %-14s %7d %9.1f %9.1f %9.0f %9.0f %6d %10d %6.1f %7.0f %7.0f%n",
                cell.name(),
                cell.variant().label(),
                cell.offered(),
                result.achieved(),
                cell.maximum(),
                result.medianMillis(),
                result.p99Millis(),
                result.lost(),
                result.inversions(),
                result.recordsPerCall(),
                result.applicationMicros(),
                result.serviceMicros());
        out.flush();
    }
}
