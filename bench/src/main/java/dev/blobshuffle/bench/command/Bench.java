package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.process.Directories;
import dev.blobshuffle.bench.report.Comparison;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.report.HtmlReport;
import dev.blobshuffle.bench.report.ResultCsv;
import dev.blobshuffle.bench.report.ResultTable;
import dev.blobshuffle.bench.run.BenchPlan;
import dev.blobshuffle.bench.run.Cell;
import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.Runner;
import dev.blobshuffle.bench.run.Variant;
import dev.blobshuffle.bench.workload.BenchWorkload;
import dev.blobshuffle.cli.json.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * Checks options, runs a plan in directories of its own, and writes the requested files. The
 * directories are deleted afterwards. Owned by one thread.
 */
final class Bench {
    private static final Duration NO_LIMIT = Duration.ofDays(365);

    private final CommandLine command;
    private final RunOptions options;
    private final PrintWriter out;

    /** Whether the JVM was asked to end. Set by the thread that then cleans up. */
    private volatile boolean isEnding;

    Bench(CommandLine command, RunOptions options) {
        this.command = command;
        this.options = options;
        out = command.getOut();
    }

    /** Makes the cells from a command's options. */
    interface Cells {
        List<Cell> cells();
    }

    /**
     * Runs a workload, and prints a table.
     *
     * @return the status of the command
     */
    int run(BenchWorkload workload, Cells cells) throws InterruptedException {
        return run(workload, cells, NO_LIMIT);
    }

    /** Runs a workload, but leaves out runs that would not end within a time. */
    int run(BenchWorkload workload, Cells cells, Duration limit) throws InterruptedException {
        List<Variant> variants;
        List<Cell> checked;
        try {
            variants = options.variants.stream().map(Variant::named).toList();
            checked = cells.cells();
            plan(workload, variants, checked, options.memory, options.memory);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
        checkMachine();
        try {
            return measure(workload, variants, checked, limit);
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            return failed(e);
        }
    }

    /** Prints the failure, and returns the status of the command. */
    int failed(Exception failure) {
        command.getErr().println(failure.getMessage() != null ? failure.getMessage() : failure);
        command.getErr().flush();
        return 1;
    }

    private int measure(BenchWorkload workload, List<Variant> variants, List<Cell> checked, Duration limit)
            throws IOException, InterruptedException {
        Map<String, Object> environment = Environment.asJson();
        List<RunResult> results = inDirectories((files, memory) -> {
            BenchPlan plan = plan(workload, variants, checked, files, memory);
            Runner runner = limit.equals(NO_LIMIT) ? new Runner(plan, this::say) : new Runner(plan, this::say, limit);
            return runner.run();
        });
        Comparison comparison = new Comparison(variants, results);
        say("");
        say(ResultTable.of(comparison));
        write(workload, comparison, environment);
        say(
                comparison.isVerified()
                        ? "Every run had exactly the output that its input asks for."
                        : "WRONG: a run lost, doubled or changed records, did not keep up, or measured nothing; its line above says which.");
        return comparison.isVerified() ? 0 : 1;
    }

    /** The plan of the checked options. */
    BenchPlan plan(BenchWorkload workload, List<Variant> variants, List<Cell> cells, Path files, Path memory) {
        return new BenchPlan(
                workload, variants, cells, options.repetitions, options.seed, options.jvmOptions(), files, memory);
    }

    /** Fails if CPU time cannot be measured, or blobs cannot be kept in memory. */
    void checkMachine() {
        if (!Files.isDirectory(Path.of("/proc/self/task"))) {
            throw invalid("Cannot measure: CPU time comes from Linux's /proc, and there is none. Run it on Linux.");
        }
        if (!Files.isDirectory(options.memory)) {
            throw invalid("Cannot put blobs into memory: " + options.memory
                    + " is no directory. Give --memory one on a memory file system.");
        }
    }

    CommandLine.ParameterException invalid(String message) {
        return new CommandLine.ParameterException(command, message);
    }

    void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Work that needs a directory for files and one in memory. */
    interface Work<T> {
        T in(Path files, Path memory) throws IOException, InterruptedException;
    }

    /**
     * Does work in directories that are deleted afterwards, also if the process is ended meanwhile.
     */
    <T> T inDirectories(Work<T> work) throws IOException, InterruptedException {
        Path base = options.directory != null ? options.directory : Path.of(System.getProperty("java.io.tmpdir"));
        Path files = Files.createTempDirectory(Files.createDirectories(base), "blobshuffle-bench");
        Path memory = Files.createTempDirectory(options.memory, "blobshuffle-bench");
        Thread cleaning = new Thread(() -> endNow(files, memory), "clean-up");
        Runtime.getRuntime().addShutdownHook(cleaning);
        try {
            return work.in(files, memory);
        } finally {
            if (isEnding) {
                cleaning.join(); // Failures from here on are not reported: the processes are gone.
                new CountDownLatch(1).await();
            }
            Runtime.getRuntime().removeShutdownHook(cleaning);
            clean(files, memory);
        }
    }

    /** Ends all processes and deletes their files, after Ctrl-C. */
    private void endNow(Path files, Path memory) {
        isEnding = true;
        // Repeats until there are none, because the command goes on and may be about to start one.
        for (List<ProcessHandle> processes = processes(); !processes.isEmpty(); processes = processes()) {
            processes.forEach(ProcessHandle::destroyForcibly);
            processes.forEach(process -> process.onExit().join());
        }
        clean(files, memory);
    }

    private static List<ProcessHandle> processes() {
        return ProcessHandle.current().descendants().toList();
    }

    private static void clean(Path files, Path memory) {
        try {
            Directories.delete(memory);
            Directories.delete(files);
        } catch (IOException e) {
            System.err.println("Cannot delete " + files + " or " + memory + ": " + e + ". Delete them yourself.");
        }
    }

    /** Writes the files that the options ask for. */
    private void write(BenchWorkload workload, Comparison comparison, Map<String, Object> environment)
            throws IOException {
        if (options.json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.putAll(comparison.asJson());
            write("Numbers", options.json, Json.write(all));
        }
        if (options.csv != null) {
            write("Numbers", options.csv, ResultCsv.of(comparison.runs()));
        }
        if (options.plots != null) {
            HtmlReport.writePlots(comparison, options.plots);
            say("Plots: " + options.plots);
        }
        if (options.report != null) {
            write(
                    "Report with plots",
                    options.report,
                    HtmlReport.of("BlobShuffle: " + workload.name(), command(), comparison, environment));
        }
    }

    /** The command as it was given, so that a reader can repeat it. */
    String command() {
        List<String> words = command.getParseResult().originalArgs();
        return "./blobshuffle " + (words.contains("bench") ? "" : "bench ")
                + words.stream().map(Bench::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:=,@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Writes a file, and prints its path. */
    void write(String what, Path file, String text) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text);
        say(what + ": " + file);
    }
}
