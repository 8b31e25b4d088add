package dev.blobshuffle.bench.calls;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of one row.
 *
 * @param achieved results per second at the sink, after the warm-up
 * @param medianMillis time from a record's scheduled moment to its result at the sink
 * @param p99Millis the same, 99th percentile
 * @param lost records that a commit covers and that have no result
 * @param duplicated results that arrived again
 * @param inversions results that arrived after a later one of their key
 * @param costs of the measured time
 * @param results that arrived in it
 * @param samples of it, a second each
 */
public record CallResult(
        CallCell cell,
        double achieved,
        double medianMillis,
        double p99Millis,
        long lost,
        long duplicated,
        long inversions,
        CallCosts costs,
        long results,
        List<CallSample> samples) {
    /** Whether nothing is missing, doubled or out of order. */
    public boolean isRight() {
        return lost == 0 && inversions == 0 && duplicated == 0;
    }

    /** CPU time of the application for a result, with the load generator and compilers. */
    public double applicationMicros() {
        return micros(costs.application());
    }

    /** The same of the service. */
    public double serviceMicros() {
        return micros(costs.service());
    }

    private double micros(Duration cpu) {
        return results == 0 ? Double.NaN : cpu.toNanos() / 1e3 / results;
    }

    /** Records that share a call. */
    public double recordsPerCall() {
        return costs.recordsPerCall();
    }

    /** The result as JSON. */
    public Map<String, Object> asJson() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", cell.name());
        row.put("variant", cell.variant().label());
        row.put("latency_ms", cell.latencyMillis());
        row.put("keys", cell.keys());
        row.put("concurrency", cell.concurrency());
        row.put("partitions", cell.partitions());
        row.put("offered", (double) cell.offered());
        row.put("achieved", achieved);
        row.put("maximum", cell.maximum());
        row.put("median_ms", medianMillis);
        row.put("p99_ms", p99Millis);
        row.put("lost", lost);
        row.put("duplicated", duplicated);
        row.put("inversions", inversions);
        row.put("max_batch", cell.maxBatch());
        row.put("records_per_call", recordsPerCall());
        if (results > 0) {
            row.put("application_cpu_us_per_record", applicationMicros());
            row.put("service_cpu_us_per_record", serviceMicros());
        }
        row.put("series", samples.stream().map(CallSample::asJson).toList());
        return row;
    }
}
