package dev.blobshuffle.bench.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.bench.flight.FlightCharts;
import dev.blobshuffle.bench.flight.FlightPlan;
import dev.blobshuffle.bench.flight.FlightReport;
import dev.blobshuffle.bench.flight.FlightRunner;
import dev.blobshuffle.bench.flight.FlightSystem;
import dev.blobshuffle.bench.report.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench flight}: TPC-H's lineitem, scanned, shuffled by order and
 * counted, through blobs by the Python package and by Daft, Ray Data and Dask from PyPI, in the
 * same run. Rows and sums are checked after each run.
 */
@Command(
        name = "flight",
        exitCodeList = {"0:all runs through blobs were right", "1:one was not, or something failed"},
        description = {
            "CPU time, memory and disk of columnar shuffles: blobs beside Daft, Ray Data and Dask.",
            "Installs them by pip into a cache directory."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class FlightCommand implements Callable<Integer> {
    @Option(
            names = "--systems",
            split = ",",
            defaultValue = "BLOBS,DAFT,RAY,DASK",
            description = "Which to run: ${COMPLETION-CANDIDATES}.")
    private List<FlightSystem> systems;

    @Option(names = "--scale", defaultValue = "1", description = "Scale of TPC-H; goals are for 4.")
    private double scale;

    @Option(names = "--partitions", split = ",", defaultValue = "100,1000,8192", description = "Numbers of them.")
    private List<Integer> partitions;

    @Option(names = "--codecs", split = ",", defaultValue = "lz4", description = "none, lz4, zstd.")
    private List<String> codecs;

    @Option(names = "--rounds", defaultValue = "2", description = "Runs of each cell.")
    private int rounds;

    @Option(
            names = "--serve",
            description =
                    "Measures what it costs to serve partitions instead: the daemon, by Flight and HTTP, beside Daft's server.")
    private boolean isServing;

    @Option(names = "--limit-seconds", defaultValue = "900", description = "A longer run is void.")
    private long limitSeconds;

    @Mixin
    private PythonOptions python;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        FlightPlan plan = plan();
        Map<String, Object> environment = Environment.asJson();
        try {
            FlightRunner runner = new FlightRunner(plan, python.directories(), this::say);
            if (isServing) {
                serve(runner, environment);
                return 0;
            }
            FlightReport report = runner.run();
            say("");
            say(report.text());
            say(
                    report.isVerified()
                            ? "Every run counted exactly the rows that it began with."
                            : "VOID: a run lost or doubled rows, or did not end; its line above says which.");
            write(report, environment);
            return report.isOwnVerified() ? 0 : 1;
        } catch (IllegalStateException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return 1;
        }
    }

    private void serve(FlightRunner runner, Map<String, Object> environment) throws IOException, InterruptedException {
        Path numbers = Files.createTempFile("serving", ".json");
        try {
            say(runner.serve(numbers));
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.put("scale", scale);
            all.put("cells", new ObjectMapper().readValue(numbers.toFile(), List.class));
            python.write(all, FlightCharts.ofServing(numbers));
        } finally {
            Files.delete(numbers);
        }
    }

    private FlightPlan plan() {
        try {
            return new FlightPlan(systems, scale, partitions, codecs, rounds, Duration.ofSeconds(limitSeconds));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private void write(FlightReport report, Map<String, Object> environment) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("environment", environment);
        all.put("scale", scale);
        all.putAll(report.asJson());
        python.write(all, FlightCharts.of(report));
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
