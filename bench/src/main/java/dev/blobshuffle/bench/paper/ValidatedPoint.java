package dev.blobshuffle.bench.paper;

import dev.blobshuffle.bench.run.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * A point that ran under virtual time and for real.
 *
 * @param deployment the cluster that ran
 * @param numbers the numbers of both runs
 * @param run all counts of the real run
 */
public record ValidatedPoint(Deployment deployment, List<Compared> numbers, Map<String, Object> run) {
    private static final double REQUESTS_WITHIN = 0.05;
    private static final double LATENCY_WITHIN = 0.15;
    private static final double MICROS = 1e6;

    /**
     * A number of both runs.
     *
     * @param metric the metric, with its unit
     * @param virtual the number under virtual time
     * @param real the number of the real run
     * @param within the largest share of deviation at which the numbers agree; infinite: the number
     *     is shown for explanation only
     */
    public record Compared(String metric, double virtual, double real, double within) {
        /** The difference of the virtual number from the real one, as a share of the real one. */
        public double deviation() {
            return virtual / real - 1;
        }

        /** Whether both agree. */
        public boolean isClose() {
            return Math.abs(deviation()) <= within;
        }

        Map<String, Object> asJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("metric", metric);
            json.put("virtual", virtual);
            json.put("real", real);
            json.put("deviation", deviation());
            json.put("within", Double.isFinite(within) ? within : null);
            return json;
        }
    }

    /** Copies the list. */
    public ValidatedPoint {
        numbers = List.copyOf(numbers);
        run = new LinkedHashMap<>(run);
    }

    static ValidatedPoint of(ClusterResult virtual, RunResult real) {
        double virtualRecords = virtual.records();
        double records = real.window().records();
        double thousand = 1000;
        List<Compared> numbers = new ArrayList<>();
        numbers.add(new Compared(
                "puts_per_1000_records",
                virtual.puts().getTotalCount() * thousand / virtualRecords,
                real.counter("puts") * thousand / records,
                REQUESTS_WITHIN));
        numbers.add(new Compared(
                "gets_per_1000_records",
                virtual.gets().getTotalCount() * thousand / virtualRecords,
                real.counter("gets") * thousand / records,
                REQUESTS_WITHIN));
        numbers.add(new Compared(
                "notifications_per_1000_records",
                virtual.notifications() * thousand / virtualRecords,
                real.counter("notifications-sent") * thousand / records,
                Double.POSITIVE_INFINITY));
        addTimes(numbers, "latency", virtual.latency(), real.latencies(), LATENCY_WITHIN);
        addTimes(numbers, "put", virtual.puts(), real.putLatencies(), Double.POSITIVE_INFINITY);
        addTimes(numbers, "get", virtual.gets(), real.getLatencies(), Double.POSITIVE_INFINITY);
        Map<String, Object> run = real.asJson();
        run.remove(RunResult.HISTOGRAMS);
        return new ValidatedPoint(virtual.deployment(), numbers, run);
    }

    private static void addTimes(
            List<Compared> numbers, String name, Histogram virtual, Histogram real, double within) {
        for (int percentile : new int[] {50, 95}) {
            numbers.add(new Compared(
                    name + "_p" + percentile + "_seconds",
                    ClusterResult.seconds(virtual, percentile),
                    real.getValueAtPercentile(percentile) / MICROS,
                    within));
        }
    }

    /** Whether all numbers agree. */
    public boolean isClose() {
        return numbers.stream().allMatch(Compared::isClose);
    }

    private String name() {
        return deployment.layout().label() + ", " + PaperReport.number(deployment.mebibytes()) + " MiB";
    }

    /** All points as a table. */
    public static String table(List<ValidatedPoint> points) {
        StringBuilder text =
                new StringBuilder("| point | number | virtual | real | deviation |\n|---|---|---|---|---|\n");
        for (ValidatedPoint point : points) {
            for (Compared number : point.numbers) {
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | `%s` | %.3f | %.3f | %+.1f %%%s |%n",
                        point.name(),
                        number.metric,
                        number.virtual,
                        number.real,
                        100 * number.deviation(),
                        number.isClose() ? "" : " **too far**"));
            }
        }
        return text.toString();
    }

    /** For the JSON. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("layout", deployment.layout().label());
        json.put("mebibytes", deployment.mebibytes());
        json.put("instances", deployment.instances());
        json.put("partitions", deployment.partitions());
        json.put("scale", deployment.size().factor());
        json.put("numbers", numbers.stream().map(Compared::asJson).toList());
        json.put("real_run", run);
        return json;
    }
}
