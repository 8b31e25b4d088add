package dev.blobshuffle.bench.flight;

import dev.blobshuffle.bench.flight.FlightPlan.Cell;
import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.process.PythonDirectories;
import dev.blobshuffle.bench.process.PythonEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * Runs a plan: round by round, the systems in turn, each run a process of its own in an empty
 * directory. Owned by one thread.
 */
public final class FlightRunner {
    private static final double ROWS_PER_SCALE = 6_001_215;
    private static final double ROWS_PER_FILE = 1_500_000;

    private static final List<String> OWN_SERVERS = List.of("flight", "flight-tls", "http", "http-tls", "put");

    private final FlightPlan plan;
    private final PythonDirectories directories;
    private final Consumer<String> say;

    /**
     * A runner.
     *
     * @param say receives a line for output
     */
    public FlightRunner(FlightPlan plan, PythonDirectories directories, Consumer<String> say) {
        this.plan = plan;
        this.directories = directories;
        this.say = say;
    }

    /**
     * Prepares the environment and the rows, then runs.
     *
     * @throws IllegalStateException if Python, pip or the generator of the rows fails
     */
    public FlightReport run() throws IOException, InterruptedException {
        PythonEnvironment python = python();
        Path data = data(python);
        List<FlightResult> results = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
            for (Cell cell : plan.cells()) {
                FlightResult result = run(python, data, cell, round);
                say.accept(result.line());
                results.add(result);
            }
        }
        return new FlightReport(plan, results);
    }

    /**
     * Measures the cost of serving partitions: by the daemon, and by Daft's server if the plan has
     * Daft. Takes the first number of partitions of the plan.
     *
     * @param json for the numbers
     * @return a table, and which goals are met
     * @throws IllegalStateException if Python, pip, the daemon or another server fails
     */
    public String serve(Path json) throws IOException, InterruptedException {
        PythonEnvironment python = python();
        Path data = data(python);
        List<String> arguments = new ArrayList<>(List.of(
                "--data",
                data.toString(),
                "--partitions",
                Integer.toString(plan.partitions().get(0)),
                "--rounds",
                Integer.toString(plan.rounds()),
                "--json",
                json.toString()));
        arguments.add("--codecs");
        arguments.addAll(plan.codecs());
        arguments.add("--systems");
        arguments.addAll(OWN_SERVERS);
        if (plan.systems().contains(FlightSystem.DAFT)) {
            arguments.add("daft");
        }
        say.accept("Serving, round by round: " + python.log());
        return python.text("serving.py", arguments);
    }

    private PythonEnvironment python() throws IOException, InterruptedException {
        say.accept("Python with the pinned packages: " + directories.cache() + " (made once)");
        Path requirements = directories.project().resolve("bench/flight/requirements.txt");
        return PythonEnvironment.of(
                directories, "flight", Files.exists(requirements) ? Files.readString(requirements) : "");
    }

    private Path data(PythonEnvironment python) throws IOException, InterruptedException {
        Path data = directories.cache().resolve("lineitem-" + plan.scale());
        say.accept("TPC-H lineitem at scale " + plan.scale() + ": " + data + " (made once)");
        List<String> arguments = new ArrayList<>(List.of(
                "--scale",
                Double.toString(plan.scale()),
                "--parts",
                Integer.toString((int) Math.max(1, Math.round(plan.scale() * ROWS_PER_SCALE / ROWS_PER_FILE))),
                "--directory",
                data.toString(),
                "--partitions"));
        plan.partitions().forEach(number -> arguments.add(Integer.toString(number)));
        Properties rows = python.run("data.py", arguments);
        say.accept(rows.getProperty("count") + " rows, " + rows.getProperty("bytes") + " bytes as Arrow");
        return data;
    }

    private FlightResult run(PythonEnvironment python, Path data, Cell cell, int round)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(directories.files(), "flight");
        try {
            Properties measured = python.run(
                    "measure.py",
                    List.of(
                            "--system",
                            cell.system().program(),
                            "--nodes",
                            Integer.toString(cell.system().nodes()),
                            "--data",
                            data.toString(),
                            "--partitions",
                            Integer.toString(cell.partitions()),
                            "--codec",
                            cell.codec(),
                            "--limit",
                            Long.toString(plan.limit().toSeconds()),
                            "--log",
                            directories
                                    .cache()
                                    .resolve(cell.system().program() + ".log")
                                    .toString(),
                            "--directory",
                            directory.toString()));
            return FlightResult.of(cell, round, measured);
        } finally {
            Directories.delete(directory);
        }
    }
}
