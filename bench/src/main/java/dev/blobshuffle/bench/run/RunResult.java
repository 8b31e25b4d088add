package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.application.Histograms;
import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.workload.RecordProbe;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one run between its warm-up and its end.
 *
 * @param workload its name
 * @param variant the variant that ran
 * @param cell its parameters
 * @param repetition the block of runs that it belongs to, from 0
 * @param window the measured window
 * @param measured the measurements of the instances
 * @param samples the progress of the run, about once a second
 * @param problem the problem with the output of the whole run; empty if it was verified
 */
public record RunResult(
        String workload,
        Variant variant,
        Cell cell,
        int repetition,
        Window window,
        Measured measured,
        List<Sample> samples,
        Optional<String> problem) {
    private static final double BYTES_PER_GIB = 1 << 30;
    private static final double STEADY = 0.1;
    private static final Map<String, Double> QUANTILES = quantiles();

    /** The JSON name of the distributions of latencies, which only the JSON form contains. */
    public static final String HISTOGRAMS = "histograms_microseconds";

    private static Map<String, Double> quantiles() {
        Map<String, Double> quantiles = new LinkedHashMap<>();
        quantiles.put("p50", 50.0);
        quantiles.put("p95", 95.0);
        quantiles.put("p99", 99.0);
        quantiles.put("p99_9", 99.9);
        quantiles.put("max", 100.0);
        return quantiles;
    }

    /**
     * The time between warm-up and end.
     *
     * @param seconds time on the clock
     * @param records records shuffled
     * @param bytes bytes of their values
     * @param application CPU time of the instances
     * @param brokers CPU time of the brokers
     * @param store CPU time of the store's server, if there is one
     * @param hasLatency whether latencies are meaningful; false if they count from due times and
     *     all records were written before
     */
    public record Window(
            double seconds,
            long records,
            double bytes,
            CpuTime application,
            CpuTime brokers,
            CpuTime store,
            boolean hasLatency) {}

    /** Copies the list. */
    public RunResult {
        samples = List.copyOf(samples);
    }

    /** Whether the output of the whole run matches its input exactly. */
    public boolean verified() {
        return problem.isEmpty();
    }

    /** Records shuffled per second. */
    public double recordsPerSecond() {
        return window.records / window.seconds;
    }

    /** Bytes of values shuffled per second. */
    public double bytesPerSecond() {
        return window.bytes / window.seconds;
    }

    private double gibibytes() {
        return window.bytes / BYTES_PER_GIB;
    }

    /** CPU seconds per GiB of the application, compilers left out. */
    public double applicationCpu() {
        return window.application.work() / gibibytes();
    }

    /** CPU seconds per GiB of the brokers, compilers left out. */
    public double brokerCpu() {
        return window.brokers.work() / gibibytes();
    }

    /** CPU seconds per GiB of application and brokers, compilers left out. */
    public double allCpu() {
        return applicationCpu() + brokerCpu();
    }

    /** CPU seconds per GiB of all compilers. */
    public double compilerCpu() {
        return (window.application.compilers() + window.brokers.compilers()) / gibibytes();
    }

    /** CPU seconds per GiB of application and brokers, compilers included. */
    public double allCpuWithCompilers() {
        return allCpu() + compilerCpu();
    }

    /**
     * A quantile of the latency in milliseconds, by its percentage; empty if latency is not
     * meaningful.
     */
    public OptionalDouble latencyMillis(double percent) {
        return window.hasLatency && measured.latencies().records().getTotalCount() > 0
                ? OptionalDouble.of(measured.latencies().records().getValueAtPercentile(percent) / 1000.0)
                : OptionalDouble.empty();
    }

    /**
     * Records per second by which the backlog's trend grows: the slope of a straight line through
     * the samples (least squares).
     */
    public double lagTrend() {
        return Slope.of(samples, Sample::seconds, Sample::backlog);
    }

    /**
     * Whether throughput went up or down by no more than a tenth over the run; short runs have too
     * few samples and count as steady.
     */
    public boolean isSteady() {
        if (samples.size() < 4) {
            return true;
        }
        double[] rates = new double[samples.size() - 1];
        double mean = recordsPerSecond();
        for (int i = 1; i < samples.size(); i++) {
            Sample one = samples.get(i - 1);
            Sample other = samples.get(i);
            rates[i - 1] = (other.shuffled() - one.shuffled()) / Math.max(1e-3, other.seconds() - one.seconds());
        }
        double slope = Slope.of(rates);
        return Math.abs(slope) * rates.length <= STEADY * mean;
    }

    /** All latencies, in microseconds. */
    public Histogram latencies() {
        return measured.latencies().records();
    }

    /** Latencies of puts that succeeded, in microseconds. */
    public Histogram putLatencies() {
        return measured.latencies().puts();
    }

    /** Latencies of gets that succeeded, in microseconds. */
    public Histogram getLatencies() {
        return measured.latencies().gets();
    }

    /**
     * A counter of the shuffle, after the warm-up; those that end in {@code -total} from the start.
     */
    public double counter(String name) {
        return measured.counter(name);
    }

    /** Reads that a cache answered. */
    public double cacheReads() {
        return counter("cache-memory-hits") + counter("cache-disk-hits") + counter("cache-zone-hits");
    }

    /**
     * The hourly price on S3 of the counted requests and an hour's storage at 1 GiB/s of the same
     * records; empty for native runs. With one zone, it contains the reads of this run and no reads
     * of other zones. In a scaled-down run ({@code store-scale}), each request stands for
     * proportionally more bytes.
     */
    public OptionalDouble s3UsdPerHour() {
        if (!variant.hasBlobs() || counter("puts") == 0) {
            return OptionalDouble.empty();
        }
        PriceTable prices = PriceTables.named("aws-us-east-1");
        double perGib = (counter("puts") * prices.requests().put()
                        + counter("gets") * prices.requests().get())
                / gibibytes()
                / cell.parameters().decimal(Parameter.STORE_SCALE);
        double storage = counter("blob-bytes-stored")
                / gibibytes()
                / prices.traffic().gigabyteBytes()
                * prices.traffic().storageMonth()
                / prices.monthHours();
        return OptionalDouble.of(3600 * (perGib + storage));
    }

    /** The result as the entry of a run in a result file. */
    public Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("workload", workload);
        json.put("variant", variant.label());
        json.put("repetition", repetition);
        json.put("varied", new LinkedHashMap<>(cell.varied()));
        json.put("parameters", cell.parameters().asJson());
        json.put("records", window.records);
        json.put("seconds", window.seconds);
        json.put("verified", verified());
        problem.ifPresent(text -> json.put("problem", text));
        json.put("steady", isSteady());
        json.put("throughput_bytes_per_second", bytesPerSecond());
        json.put("throughput_records_per_second", recordsPerSecond());
        json.put("cpu_seconds_per_gib", cpuAsJson());
        json.put("latency_ms", latencyAsJson());
        json.put("shuffle_broker_bytes", Math.round(counter("shuffle-broker-bytes")));
        json.put("shuffle_broker_bytes_per_gib", Math.round(counter("shuffle-broker-bytes") / gibibytes()));
        json.put("notifications", Math.round(counter("notifications-sent")));
        double blobs = counter("blobs-stored");
        json.put("mean_blob_bytes", blobs == 0 ? null : Math.round(counter("blob-bytes-stored") / blobs));
        json.put("store_puts", Math.round(counter("puts")));
        json.put("store_gets", Math.round(counter("gets")));
        json.put("cache_reads", Math.round(cacheReads()));
        json.put("put_latency_ms", quantiles(putLatencies()));
        json.put("get_latency_ms", quantiles(getLatencies()));
        json.put("s3_usd_per_hour_at_1_gib_per_second", orNull(s3UsdPerHour()));
        json.put("dropped_updates", Math.round(counter("dropped-records")));
        json.put("backlog_trend_records_per_second", lagTrend());
        json.put(HISTOGRAMS, histogramsAsJson());
        json.put("counters", new LinkedHashMap<>(measured.counters()));
        json.put("application_threads_cpu_seconds", window.application.threads());
        json.put("brokers_threads_cpu_seconds", window.brokers.threads());
        return json;
    }

    private Map<String, Object> cpuAsJson() {
        Map<String, Object> cpu = new LinkedHashMap<>();
        cpu.put("application", applicationCpu());
        cpu.put("brokers", brokerCpu());
        cpu.put("jit", compilerCpu());
        cpu.put("all", allCpu());
        cpu.put("store", window.store.work() / gibibytes());
        return cpu;
    }

    private Map<String, Object> latencyAsJson() {
        return quantiles(window.hasLatency ? latencies() : RecordProbe.histogram());
    }

    /** Quantiles in milliseconds; all null if nothing was measured. */
    private static Map<String, Object> quantiles(Histogram latencies) {
        Map<String, Object> json = new LinkedHashMap<>();
        QUANTILES.forEach((name, percent) -> json.put(
                name, latencies.getTotalCount() == 0 ? null : latencies.getValueAtPercentile(percent) / 1000.0));
        return json;
    }

    /**
     * The whole distributions in HdrHistogram's compressed encoding, which can be added to those of
     * other runs.
     */
    private Map<String, Object> histogramsAsJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("latency", Histograms.format(latencies()));
        json.put("put", Histograms.format(putLatencies()));
        json.put("get", Histograms.format(getLatencies()));
        return json;
    }

    private static @Nullable Double orNull(OptionalDouble number) {
        return number.isPresent() ? number.getAsDouble() : null;
    }
}
