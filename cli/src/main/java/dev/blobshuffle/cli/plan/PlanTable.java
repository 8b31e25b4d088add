package dev.blobshuffle.cli.plan;

import dev.blobshuffle.planner.Cost;
import dev.blobshuffle.planner.Estimate;
import dev.blobshuffle.planner.FloorPrice;
import dev.blobshuffle.planner.KafkaPrices;
import dev.blobshuffle.planner.Latencies;
import dev.blobshuffle.planner.Plan;
import dev.blobshuffle.planner.Traffic;
import dev.blobshuffle.planner.Workload;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints a plan as text. Stateless. */
final class PlanTable {
    private static final double GIBIBYTE = 1 << 30;
    private static final double SECONDS_PER_HOUR = 3600;
    private static final int BAR = 40;
    private static final int MOST_POINTS = 12;

    private PlanTable() {}

    static void print(Plan plan, PrintWriter out) {
        out.println(headline(plan));
        out.println(sources(plan));
        out.println();
        plan.findings().forEach(out::println);
        out.println();
        printCosts(plan, out);
        printLatencies(plan, out);
        printFrontier(plan, out);
        printAlternatives(plan, out);
        printSettings(plan, out);
    }

    static String headline(Plan plan) {
        Workload workload = plan.workload();
        return text(
                "%s/s of %s records; instances: %d, threads of each: %d, zones: %d, partitions: %d; %s, commits every %s",
                bytes(workload.bytesPerSecond()),
                bytes(workload.recordBytes()),
                workload.instances(),
                workload.threads(),
                workload.zones(),
                workload.partitions(),
                workload.guarantee().name().toLowerCase(Locale.ROOT),
                seconds(workload.commitInterval().toMillis() / 1000.0));
    }

    static String sources(Plan plan) {
        return text(
                "Prices: %s (%s, %s); Kafka: %s (%s, %s). Latencies: profile %s. Costs and latencies are modelled, not measured.",
                plan.prices().title(),
                plan.prices().name(),
                plan.prices().date(),
                plan.kafka().title(),
                plan.kafka().name(),
                plan.kafka().date(),
                plan.profile().name());
    }

    private static void printCosts(Plan plan, PrintWriter out) {
        out.println(row("cost", "USD/h", "USD/GiB", ""));
        for (CostLine line : costLines(plan)) {
            out.println(row(line.name(), usd(line.usdPerHour()), gib(plan, line.usdPerHour()), line.remark()));
        }
        out.println();
    }

    /**
     * A line of the table of costs.
     *
     * @param name of the cost
     * @param usdPerHour dollars per hour
     * @param remark underlying rates; may be empty
     */
    record CostLine(String name, double usdPerHour, String remark) {}

    static List<CostLine> costLines(Plan plan) {
        Cost cost = plan.recommended().cost();
        Traffic traffic = plan.recommended().traffic();
        List<CostLine> lines = new ArrayList<>(nativeLines(plan));
        lines.add(new CostLine("BlobShuffle, without compute", cost.shuffle(), ""));
        lines.add(new CostLine("  puts", cost.puts(), puts(plan.recommended())));
        lines.add(new CostLine("  gets", cost.gets(), text("%.4g/s", traffic.gets())));
        lines.add(new CostLine(
                "  stored bytes",
                cost.stored(),
                "for " + seconds(plan.recommended().tuning().retention().toSeconds())));
        FloorPrice floor = plan.floor();
        lines.add(new CostLine(
                "  (the floor of retention)",
                floor.usdPerHour(),
                text("%d h: %s, instead of the line above", floor.floor().toHours(), bytes(floor.keptBytes()))));
        if (cost.transferred() > 0) {
            lines.add(new CostLine("  bytes in and out of the store", cost.transferred(), ""));
        }
        lines.add(new CostLine("  notifications", cost.notifications(), text("%.4g/s", traffic.notifications())));
        lines.add(new CostLine(
                "  inlined records", cost.inlined(), text("%s/s through Kafka", bytes(traffic.inlinedBytes()))));
        lines.add(new CostLine(
                "BlobShuffle, with compute",
                cost.total(),
                text("%.1f CPU s/GiB", plan.recommended().tuning().cpuSecondsPerGib())));
        if (plan.workload().changelogBytesPerSecond() > 0) {
            lines.add(new CostLine(
                    "changelogs, in Kafka either way",
                    plan.changelogUsdPerHour(),
                    text("%s/s", bytes(plan.workload().changelogBytesPerSecond()))));
        }
        return lines;
    }

    private static List<CostLine> nativeLines(Plan plan) {
        boolean crosses = plan.kafka().crossings().clients() > 0
                || plan.kafka().crossings().replicas() > 0;
        List<CostLine> lines = new ArrayList<>();
        for (Plan.NativeVariant variant : plan.nativeVariants()) {
            String name = crosses
                    ? variant.name().replace("not_rack", "not rack").replace('_', ' ')
                    : plan.kafka().title();
            lines.add(new CostLine("native, " + name, variant.usdPerHour(), billed(plan.kafka())));
        }
        return lines;
    }

    private static String puts(Estimate estimate) {
        String puts = text(
                "%.4g/s of %s",
                estimate.traffic().puts(), bytes(estimate.traffic().blobBytes()));
        return estimate.partsPerBlob() > 1
                ? puts + text(", combined from up to %.0f parts", estimate.partsPerBlob())
                : puts;
    }

    /** The parts of the price of a native topic. */
    private static String billed(KafkaPrices kafka) {
        boolean crosses = kafka.crossings().clients() > 0 || kafka.crossings().replicas() > 0;
        KafkaPrices.Service service = kafka.service();
        boolean takes = service.written() > 0 || service.read() > 0 || service.puts() > 0 || service.gets() > 0;
        if (takes) {
            return crosses ? "traffic between zones, and the service's price per GB" : "the service's price per GB";
        }
        return "traffic between zones only";
    }

    private static void printLatencies(Plan plan, PrintWriter out) {
        Latencies latencies = plan.recommended().latencies();
        out.println(text(
                "shuffle latency   p50 %s   p95 %s   p99 %s",
                seconds(latencies.p50()), seconds(latencies.p95()), seconds(latencies.p99())));
        out.println(text(
                "  on average      %s batch filling, %s put, %s commit, %s notification and get",
                seconds(latencies.fill()),
                seconds(latencies.store()),
                seconds(latencies.commit()),
                seconds(latencies.read())));
        out.println();
    }

    private static void printFrontier(Plan plan, PrintWriter out) {
        out.println("cost against latency: no other settings beat these in both");
        List<Estimate> points = thin(plan.frontier(), plan.recommended());
        double most =
                points.stream().mapToDouble(point -> point.cost().total()).max().orElse(1);
        for (Estimate point : points) {
            int length = (int) Math.max(1, Math.round(BAR * point.cost().total() / most));
            boolean isChosen = point.tuning().equals(plan.recommended().tuning());
            out.println(text(
                            "  p95 %8s %9s USD/h  %-" + BAR + "s %s, %d ms%s",
                            seconds(point.latencies().p95()),
                            usd(point.cost().total()),
                            "#".repeat(length),
                            bytes(point.tuning().blobBytes()),
                            point.tuning().delay().toMillis(),
                            isChosen ? "  <- recommended" : "")
                    .stripTrailing());
        }
        out.println();
    }

    /** Reduces points to about this number. Keeps the ends and the chosen point. */
    private static List<Estimate> thin(List<Estimate> points, Estimate chosen) {
        int step = Math.max(1, points.size() / MOST_POINTS);
        List<Estimate> kept = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            boolean isEnd = i == 0 || i == points.size() - 1;
            if (isEnd || i % step == 0 || points.get(i).tuning().equals(chosen.tuning())) {
                kept.add(points.get(i));
            }
        }
        return kept;
    }

    private static void printAlternatives(Plan plan, PrintWriter out) {
        out.println("other choices");
        for (Plan.Alternative alternative : plan.alternatives()) {
            Estimate estimate = alternative.estimate();
            out.println(text(
                    "  p95 %8s %9s USD/h  %s",
                    seconds(estimate.latencies().p95()), usd(estimate.cost().total()), alternative.name()));
        }
        out.println();
    }

    private static void printSettings(Plan plan, PrintWriter out) {
        if (!plan.meetsGoal()) {
            out.println("NO SETTINGS REACH THE GOAL. The closest:");
        } else if (!plan.paysOff()) {
            out.println("The settings, if you shuffle through blobs nevertheless:");
        } else {
            out.println("settings");
        }
        out.print(properties(plan));
    }

    static String properties(Plan plan) {
        StringBuilder text = new StringBuilder();
        plan.storeArtifact()
                .ifPresent(artifact ->
                        text.append("# the store needs ").append(artifact).append('\n'));
        for (Plan.RecommendedSetting setting : plan.settings()) {
            text.append("# ").append(setting.reason()).append('\n');
            setting.artifact()
                    .ifPresent(
                            artifact -> text.append("# needs ").append(artifact).append('\n'));
            text.append(setting.name()).append('=').append(setting.value()).append('\n');
        }
        return text.toString();
    }

    private static String row(String name, String first, String second, String remark) {
        return text("%-42s %10s %10s  %s", name, first, second, remark).stripTrailing();
    }

    private static String gib(Plan plan, double usdPerHour) {
        double gibPerHour = plan.workload().bytesPerSecond() * SECONDS_PER_HOUR / GIBIBYTE;
        return text("%.5f", usdPerHour / gibPerHour);
    }

    static String usd(double amount) {
        return amount == 0 ? "0" : text(amount >= 0.1 ? "%,.2f" : "%.4f", amount);
    }

    static String seconds(double seconds) {
        if (seconds >= 3600) {
            return text("%.4g h", seconds / 3600).replaceAll("\\.0+ h", " h");
        }
        return seconds >= 0.9995
                ? text("%.2f s", seconds).replaceAll("\\.00 s", " s")
                : text("%.0f ms", seconds * 1000);
    }

    static String bytes(double bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        String number = text(value >= 100 ? "%.0f" : "%.2f", value);
        return (number.contains(".") ? number.replaceAll("\\.?0+$", "") : number) + " " + units[unit];
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
