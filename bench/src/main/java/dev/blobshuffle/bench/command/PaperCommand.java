package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.paper.CpuCost;
import dev.blobshuffle.bench.paper.CpuMeasurement;
import dev.blobshuffle.bench.paper.Figure;
import dev.blobshuffle.bench.paper.PaperCharts;
import dev.blobshuffle.bench.paper.PaperEvaluation;
import dev.blobshuffle.bench.paper.PaperPlan;
import dev.blobshuffle.bench.paper.PaperReport;
import dev.blobshuffle.bench.paper.PaperRunner;
import dev.blobshuffle.bench.paper.ValidatedPoint;
import dev.blobshuffle.bench.paper.Validation;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.bench.store.FittedProfile;
import dev.blobshuffle.bench.store.RequestTimes;
import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.planner.LatencyProfile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench paper}: Figures 6 to 10 of the BlobShuffle paper at their
 * full size, by the real engine under virtual time, beside the paper's numbers.
 */
@Command(
        name = "paper",
        description = {
            "Figures 6 to 10 of the BlobShuffle paper at their full size, beside its numbers.",
            "The real engine under virtual time, in the paper's layout and in ours."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class PaperCommand implements Callable<Integer> {
    @Option(names = "--figures", split = ",", defaultValue = "6,7,8,9,10", description = "Which figures.")
    private List<Integer> numbers;

    @Option(
            names = "--profiles",
            split = ",",
            defaultValue = "s3-paper-requests,s3-standard",
            description = "Latencies of the store; those after the first are run for Figures 6 to 8.")
    private List<String> names;

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = "A file of bench store --profile-out, whose store is run too.")
    private @Nullable Path measuredProfile;

    @Option(
            names = "--batches",
            defaultValue = "500",
            description =
                    "Batches that each point measures; fewer are faster and less exact, and below 440 ours hedges late.")
    private int batches;

    @Option(names = "--seed", defaultValue = "7", description = "Seed of latencies and of everything else.")
    private long seed;

    @Option(
            names = "--without-cpu",
            description = "Measures no processor times, and leaves out what needs them: limits, compute, totals.")
    private boolean isWithoutCpu;

    @Option(
            names = "--cpu-from",
            paramLabel = "FILE",
            description = "The JSON of an earlier run, whose processor times are used instead of measured ones.")
    private @Nullable Path cpuFrom;

    @Option(
            names = "--validate",
            description = "Runs three points for real and under virtual time instead, at a sixty-fourth of the size.")
    private boolean isValidation;

    @Option(
            names = "--seconds",
            defaultValue = "180",
            description = "Seconds that each real run of --validate measures.")
    private int seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "File for all numbers as JSON.")
    private @Nullable Path json;

    @Option(names = "--report", paramLabel = "FILE", description = "File for a page with plots and tables.")
    private @Nullable Path report;

    @Option(names = "--plots", paramLabel = "DIR", description = "Directory for each figure as SVG.")
    private @Nullable Path plots;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (isValidation) {
            return validate();
        }
        PaperPlan plan = plan();
        Optional<CpuCost> cpu = isWithoutCpu ? Optional.empty() : Optional.of(cpu());
        say("Virtual time, " + plan.batches() + " batches for each point:");
        PaperEvaluation evaluation = new PaperEvaluation(plan, new PaperRunner(plan, this::say).run(), cpu);
        PaperReport result = PaperReport.of(evaluation);
        say("");
        say(result.text());
        Map<String, Object> environment = Environment.asJson();
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", environment);
            all.putAll(result.asJson());
            write(json, Json.write(all));
        }
        if (report != null) {
            write(report, result.html(command(), environment));
        }
        if (plots != null) {
            PaperCharts charts = new PaperCharts(evaluation, result.rows());
            for (Figure figure : plan.figures()) {
                write(plots.resolve("paper-figure-" + figure.number() + ".svg"), charts.svg(figure));
            }
        }
        return 0;
    }

    private int validate() throws IOException, InterruptedException {
        if (seconds < 1) {
            throw invalid("Cannot measure " + seconds + " seconds. Give 1 or more.");
        }
        Bench bench = bench();
        say("Points at a sixty-fourth, under virtual time and for real:");
        List<ValidatedPoint> points =
                bench.inDirectories((files, memory) -> new Validation(seconds, seed, files, memory, this::say).run());
        say("");
        say(ValidatedPoint.table(points));
        boolean isClose = points.stream().allMatch(ValidatedPoint::isClose);
        say(
                isClose
                        ? "All points agree: requests within 5 %, latencies within 15 %."
                        : "Some numbers are further apart than 5 % in requests or 15 % in latencies.");
        if (json != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("environment", Environment.asJson());
            all.put("points", points.stream().map(ValidatedPoint::asJson).toList());
            write(json, Json.write(all));
        }
        return isClose ? 0 : 1;
    }

    /** The runner of real runs. */
    private Bench bench() {
        RunOptions options = new RunOptions();
        options.memory = Path.of("/dev/shm");
        Bench bench = new Bench(spec.commandLine(), options);
        bench.checkMachine();
        return bench;
    }

    private CpuCost cpu() throws IOException, InterruptedException {
        if (cpuFrom == null) {
            return measureCpu();
        }
        try {
            return CpuCost.read(cpuFrom);
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("Cannot use --cpu-from: " + e.getMessage());
        }
    }

    private CpuCost measureCpu() throws IOException, InterruptedException {
        Bench bench = bench();
        say("Processor times, by real runs:");
        return bench.inDirectories((files, memory) -> {
            try {
                return new CpuMeasurement(files, memory, this::say).run();
            } catch (ExecutionException | GeneralSecurityException e) {
                throw new IOException("Cannot measure processor times: " + e, e);
            }
        });
    }

    private PaperPlan plan() {
        List<LatencyProfile> profiles =
                new ArrayList<>(names.stream().map(this::profile).toList());
        try {
            if (measuredProfile != null) {
                profiles.add(FittedProfile.of(RequestTimes.read(measuredProfile)));
            }
            return new PaperPlan(numbers.stream().map(this::figure).toList(), profiles, batches, seed);
        } catch (IOException e) {
            throw invalid("Cannot use --profile: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private Figure figure(int number) {
        return Figure.ALL.stream()
                .filter(figure -> figure.number() == number)
                .findFirst()
                .orElseThrow(() -> invalid("Cannot run figure " + number + ": there is none. Give some of 6 to 10."));
    }

    private LatencyProfile profile(String name) {
        List<LatencyProfile> known = new ArrayList<>(LatencyProfile.all());
        known.remove(LatencyProfile.ZERO);
        return known.stream()
                .filter(profile -> profile.name().equals(name))
                .findFirst()
                .orElseThrow(() -> invalid("Cannot use profile '" + name + "': there is none. Give one of "
                        + String.join(
                                ", ", known.stream().map(LatencyProfile::name).toList()) + "."));
    }

    private CommandLine.ParameterException invalid(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    /** The command as it was given. */
    private String command() {
        return "./blobshuffle bench "
                + String.join(" ", spec.commandLine().getParseResult().originalArgs());
    }

    private synchronized void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }

    private void write(Path file, String text) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text);
        say("Written: " + file);
    }
}
