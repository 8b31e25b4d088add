package dev.blobshuffle.bench.command;

import dev.blobshuffle.bench.adaptive.RealTimeTrial;
import dev.blobshuffle.bench.report.Environment;
import dev.blobshuffle.simulator.trial.Batched;
import dev.blobshuffle.simulator.trial.BatchedResult;
import dev.blobshuffle.simulator.trial.BatchedTable;
import dev.blobshuffle.simulator.trial.SwingingLoad;
import dev.blobshuffle.simulator.trial.VirtualTrial;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code blobshuffle bench run adaptive}: whether a target latency is met while the
 * load swings ten to one within 5 s, and the cost compared with fixed settings. It runs in real
 * time, with a broker and an S3 simulator with the profile {@code s3-blobshuffle-paper}, or under
 * virtual time, where minutes take seconds and a seed reproduces the numbers.
 */
@Command(
        name = "adaptive",
        description = {
            "A target latency while the load swings ten to one within 5 s, next to fixed settings.",
            "In real time, or with --virtual under virtual time: minutes in seconds."
        },
        mixinStandardHelpOptions = true,
        showDefaultValues = true)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class AdaptiveCommand implements Callable<Integer> {
    @Option(names = "--virtual", description = "Under virtual time, without a broker.")
    private boolean isVirtual;

    @Option(names = "--target-ms", defaultValue = "1600", description = "The p95 to meet in each 10 s.")
    private int targetMillis;

    @Option(names = "--seconds", defaultValue = "60", description = "Measured time of each run.")
    private int seconds;

    @Option(names = "--warm-up", defaultValue = "20", description = "Seconds before that, in real time.")
    private int warmUp;

    @Option(names = "--period", defaultValue = "60", description = "Seconds from one rise of the load to the next.")
    private int period;

    @Option(names = "--instances", defaultValue = "9", description = "Under virtual time; in real time there are 3.")
    private int instances;

    @Option(names = "--seed", defaultValue = "7", description = "Under virtual time, of everything.")
    private long seed;

    @Option(names = "--sizes", split = ",", defaultValue = "16", description = "Sizes of the fixed settings, MiB.")
    private List<Integer> sizes;

    @Option(
            names = "--delays",
            split = ",",
            defaultValue = "450,550",
            description = "Delays of the fixed settings in ms; 0: none of them.")
    private List<Integer> delays;

    @Mixin
    private ResultOutput output;

    @Spec
    private CommandSpec spec;

    /** Runs one setting. */
    private interface Trial {
        BatchedResult run(Batched batched) throws Exception;
    }

    @Override
    public Integer call() throws Exception {
        check();
        Map<String, Object> environment = Environment.asJson();
        PrintWriter out = spec.commandLine().getOut();
        Duration target = Duration.ofMillis(targetMillis);
        Trial trial = trial(target);
        BatchedResult adaptive = trial.run(Batched.adaptive(target));
        out.println("p95 of each 10 s with a target of " + targetMillis + " ms, seconds:");
        out.println("  "
                + String.join(
                        " ",
                        adaptive.intervals().stream()
                                .map(p95 -> String.format(Locale.ROOT, "%.2f", p95))
                                .toList()));
        out.flush();
        List<BatchedResult> fixed = new ArrayList<>();
        for (Batched each : fixed()) {
            fixed.add(trial.run(each));
        }
        BatchedTable table = new BatchedTable(targetMillis / 1e3, adaptive, fixed);
        out.println();
        out.print(table.markdown());
        out.println();
        out.println(verdict(table));
        out.flush();
        output.write(environment, asJson(table));
        return 0;
    }

    private void check() {
        List<Integer> positive = new ArrayList<>(sizes);
        positive.addAll(List.of(targetMillis, instances));
        boolean isWrong = positive.stream().anyMatch(number -> number < 1)
                || sizes.stream().anyMatch(size -> size > SwingingLoad.LARGEST_BLOB)
                || delays.stream().anyMatch(delay -> delay < 0)
                || warmUp < 0;
        if (isWrong || seconds < 10 || period < 20 || (isVirtual && instances % 3 != 0)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(),
                    "Cannot run with these numbers: --seconds must be 10 or more, --period 20 or more, --instances a multiple of 3, sizes 1 to "
                            + SwingingLoad.LARGEST_BLOB + ", delays and --warm-up 0 or more, --target-ms above 0.");
        }
    }

    private Trial trial(Duration target) {
        SwingingLoad load = new SwingingLoad(Duration.ofSeconds(period));
        Duration length = Duration.ofSeconds(seconds);
        if (isVirtual) {
            VirtualTrial trial = new VirtualTrial(instances, load, length, seed);
            return batched -> trial.run(batched, target);
        }
        RealTimeTrial trial = new RealTimeTrial(load, Duration.ofSeconds(warmUp), length);
        return batched -> trial.run(batched, target).result();
    }

    private List<Batched> fixed() {
        List<Batched> settings = new ArrayList<>();
        for (int size : sizes) {
            delays.stream()
                    .filter(delay -> delay > 0)
                    .forEach(delay -> settings.add(Batched.fixed(size, Duration.ofMillis(delay))));
        }
        return settings;
    }

    private String verdict(BatchedTable table) {
        boolean isMet = table.adaptive().meets(table.targetSeconds());
        String met = isMet
                ? "The target is met in every 10 s"
                : "The target is NOT met in every 10 s: "
                        + String.format(
                                Locale.ROOT, "%.2f s at worst", table.adaptive().worst());
        if (table.fixed().isEmpty()) {
            return met + ".";
        }
        Optional<Double> ratio = table.priceRatio();
        return ratio.isPresent()
                ? String.format(
                        Locale.ROOT,
                        "%s, at %.2f times the price of the best fixed setting that meets it.",
                        met,
                        ratio.get())
                : met + ". None of the fixed settings meets it.";
    }

    private Map<String, Object> asJson(BatchedTable table) {
        Map<String, Object> all = new LinkedHashMap<>();
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("time", isVirtual ? "virtual" : "real");
        parameters.put("target_seconds", table.targetSeconds());
        parameters.put("seconds", seconds);
        parameters.put("period_seconds", period);
        parameters.put("instances", isVirtual ? instances : RealTimeTrial.ZONES);
        if (isVirtual) {
            parameters.put("seed", seed);
        }
        all.put("parameters", parameters);
        all.put("adaptive", asJson(table.adaptive(), table.targetSeconds()));
        all.put(
                "fixed",
                table.fixed().stream()
                        .map(result -> asJson(result, table.targetSeconds()))
                        .toList());
        all.put("price_ratio_to_best_fixed", table.priceRatio().orElse(null));
        return all;
    }

    private static Map<String, Object> asJson(BatchedResult result, double targetSeconds) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", result.batched().name());
        all.put("meets_target", result.meets(targetSeconds));
        all.put("interval_p95_seconds", result.intervals());
        result.requests().ifPresent(requests -> {
            all.put("usd_per_hour", requests.usdPerHour());
            all.put("puts_per_second", requests.puts());
            all.put("gets_per_second", requests.gets());
            all.put("p95_seconds", requests.p95());
        });
        return all;
    }
}
