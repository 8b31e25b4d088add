package dev.blobshuffle.cli.doctor;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The durations of requests.
 *
 * @param blobBytes size of the blobs
 * @param sorted durations, the shortest first; at least one
 */
record ProbeTimes(long blobBytes, List<Duration> sorted) {
    ProbeTimes {
        sorted = sorted.stream().sorted().toList();
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("Cannot compute latencies: there are no samples. Take one or more.");
        }
    }

    /** The duration that this percentage of the requests did not exceed. */
    Duration percentile(int percent) {
        int index = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
        return sorted.get(Math.max(0, index));
    }

    String text() {
        return String.format(
                Locale.ROOT,
                "%s at the median, %s at p95, %s at most (%d of %.1f MiB)",
                millis(percentile(50)),
                millis(percentile(95)),
                millis(percentile(100)),
                sorted.size(),
                blobBytes / (double) (1 << 20));
    }

    private static String millis(Duration time) {
        double millis = time.toNanos() / 1e6;
        return String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("samples", sorted.size());
        json.put("blob_bytes", blobBytes);
        json.put("p50_ms", percentile(50).toNanos() / 1e6);
        json.put("p95_ms", percentile(95).toNanos() / 1e6);
        json.put("max_ms", percentile(100).toNanos() / 1e6);
        return json;
    }
}
