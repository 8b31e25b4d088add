package dev.blobshuffle.bench.command;

import dev.blobshuffle.cli.chart.HtmlPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench suite}: the plans behind the documented results, one after
 * the other. The results of each plan are kept, so a suite that was ended continues where it
 * stopped. If a plan fails, the others still run.
 */
@Command(
        name = "suite",
        description = {
            "Runs the plans whose results the documentation shows, one after the other; `--list` shows them.",
            "Each leaves its numbers, output, report and plots in a directory of its name. What is there is not run again."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class SuiteCommand implements Callable<Integer> {
    /** The file that holds the command of a plan that has succeeded. */
    private static final String DONE = "done";

    private final List<SuitePlan> plans;

    @Parameters(paramLabel = "PLAN", arity = "0..*", description = "Plans to run; default: all.")
    private @Nullable List<String> names;

    @Option(names = "--out", defaultValue = "target/bench/suite", description = "Directory for the results.")
    private Path out;

    @Option(names = "--list", description = "Only list the plans, with about how many minutes each takes on two cores.")
    private boolean isListed;

    @Option(names = "--again", description = "Run plans again whose results are there.")
    private boolean isAgain;

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    SuiteCommand() {
        this(SuitePlan.ALL);
    }

    /** A suite of the given plans. */
    SuiteCommand(List<SuitePlan> plans) {
        this.plans = plans;
    }

    @Override
    public Integer call() {
        List<SuitePlan> chosen = chosen();
        PrintWriter console = spec.commandLine().getOut();
        if (isListed) {
            chosen.forEach(plan -> console.printf(
                    "%-20s about %d min: %s%n    bench %s%n",
                    plan.name(), plan.minutes(), plan.shows(), plan.command()));
            console.flush();
            return 0;
        }
        try {
            return run(chosen, console);
        } catch (IOException e) {
            spec.commandLine().getErr().println("Cannot write results to " + out + ": " + e + ". Give another --out.");
            return 1;
        }
    }

    private List<SuitePlan> chosen() {
        if (names == null) {
            return plans;
        }
        List<SuitePlan> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(plans.stream()
                    .filter(plan -> plan.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.ParameterException(
                            spec.commandLine(),
                            "Cannot run " + name + ": there is no such plan. Give some of "
                                    + plans.stream().map(SuitePlan::name).collect(Collectors.joining(", ")) + ".")));
        }
        return chosen;
    }

    private int run(List<SuitePlan> chosen, PrintWriter console) throws IOException {
        List<SuitePlan> due = new ArrayList<>();
        for (SuitePlan plan : chosen) {
            if (isAgain || !isDone(plan)) {
                due.add(plan);
            }
        }
        console.printf(
                "%d of %d plan(s), about %d min on two idle cores; results in %s%n",
                due.size(),
                chosen.size(),
                due.stream().mapToInt(SuitePlan::minutes).sum(),
                out);
        Map<String, String> failed = new LinkedHashMap<>();
        for (int i = 0; i < due.size(); i++) {
            SuitePlan plan = due.get(i);
            console.printf(
                    "%n[%d/%d] %s, about %d min: bench %s%n",
                    i + 1, due.size(), plan.name(), plan.minutes(), plan.command());
            console.flush();
            int status = run(plan, console);
            if (status != 0) {
                failed.put(
                        plan.name(),
                        "status " + status + ", see " + directory(plan).resolve("output.txt"));
            }
            writeIndex();
        }
        console.println();
        failed.forEach((name, how) -> console.println("FAILED: " + name + ": " + how));
        console.println("All results: " + out.resolve("index.html"));
        console.flush();
        return failed.isEmpty() ? 0 : 1;
    }

    private Path directory(SuitePlan plan) {
        return out.resolve(plan.name());
    }

    /** Whether the same command has succeeded before. */
    private boolean isDone(SuitePlan plan) throws IOException {
        Path done = directory(plan).resolve(DONE);
        return Files.exists(done) && Files.readString(done).equals(plan.command());
    }

    private int run(SuitePlan plan, PrintWriter console) throws IOException {
        Path directory = directory(plan);
        Files.createDirectories(directory);
        Files.deleteIfExists(directory.resolve(DONE));
        long start = System.nanoTime();
        int status;
        try (Writer file = Files.newBufferedWriter(directory.resolve("output.txt"));
                PrintWriter both = new PrintWriter(new TeeWriter(console, file))) {
            CommandLine bench = BenchCommand.commandLine().setOut(both).setErr(both);
            bench.setParameterExceptionHandler(spec.root().commandLine().getParameterExceptionHandler());
            status = bench.execute(words(bench, plan).toArray(String[]::new));
            both.printf(
                    "Took %d s.%n", Duration.ofNanos(System.nanoTime() - start).toSeconds());
        }
        if (status == 0) {
            Files.writeString(directory.resolve(DONE), plan.command());
        }
        return status;
    }

    /** The words of the command, with options for all files that it can write. */
    private List<String> words(CommandLine bench, SuitePlan plan) {
        List<String> words = new ArrayList<>(plan.words());
        CommandLine command = command(bench, words);
        Map<String, String> files = new LinkedHashMap<>();
        files.put("--json", "result.json");
        files.put("--csv", "runs.csv");
        files.put("--report", "report.html");
        files.put("--plots", "plots");
        files.put("--theodolite", "theodolite");
        files.forEach((option, name) -> {
            if (command != null && command.getCommandSpec().optionsMap().containsKey(option)) {
                words.add(option);
                words.add(directory(plan).resolve(name).toString());
            }
        });
        return words;
    }

    /**
     * The command that words name: one of {@code bench}, or a plan of it, such as {@code run
     * search}.
     */
    private static @Nullable CommandLine command(CommandLine bench, List<String> words) {
        CommandLine command = bench.getSubcommands().get(words.get(0));
        if (command == null || words.size() < 2) {
            return command;
        }
        CommandLine plan = command.getSubcommands().get(words.get(1));
        return plan == null ? command : plan;
    }

    /** Writes a page with the results of every plan that has some. */
    private void writeIndex() throws IOException {
        HtmlPage page = new HtmlPage("BlobShuffle: benchmarks");
        for (SuitePlan plan : plans) {
            if (!Files.exists(directory(plan))) {
                continue;
            }
            page.heading(plan.name() + (isDone(plan) ? "" : " (failed, or not at its end)"))
                    .paragraph(plan.shows())
                    .preformatted("./blobshuffle bench " + plan.command());
            for (String file : List.of("report.html", "output.txt", "result.json")) {
                if (Files.exists(directory(plan).resolve(file))) {
                    page.link(plan.name() + "/" + file);
                }
            }
        }
        Files.writeString(out.resolve("index.html"), page.html());
    }
}
