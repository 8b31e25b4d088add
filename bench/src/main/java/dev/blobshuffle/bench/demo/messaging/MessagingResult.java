package dev.blobshuffle.bench.demo.messaging;

import dev.blobshuffle.bench.demo.LatencyHistogram;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a run.
 *
 * @param published records that were acknowledged to their publishers
 * @param table the records in the subscribers' table, in the order of its rows
 * @param receipts the records in the topic of receipts
 * @param lost acknowledged records that are missing in either
 * @param kills processes of applications that were killed
 * @param failovers of the database
 * @param puts blobs in the store
 * @param commits batches in the log
 * @param latency from the publish of a record until a subscriber had it
 */
record MessagingResult(
        long published,
        RecordAudit table,
        RecordAudit receipts,
        long lost,
        int kills,
        int failovers,
        long puts,
        long commits,
        LatencyHistogram latency) {
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.95;
    private static final double FAR_TAIL = 0.99;

    long doubled() {
        return table.doubled() + receipts.doubled();
    }

    long outOfOrder() {
        return table.outOfOrder() + receipts.outOfOrder();
    }

    /** Whether each record arrived exactly once, in order, in the table and in the receipts. */
    boolean isExact() {
        return published > 0
                && lost == 0
                && doubled() == 0
                && outOfOrder() == 0
                && table.arrived() == receipts.arrived();
    }

    /** The result as text. */
    List<String> lines() {
        return List.of(
                line("records published", "%,d", published),
                line("records consumed", "%,d", table.arrived()),
                line("lost, doubled, out of order", "%d, %d, %d", lost, doubled(), outOfOrder()),
                line("processes killed, failovers", "%d, %d", kills, failovers),
                line("blobs stored, commits of the log", "%,d, %,d", puts, commits),
                line(
                        "publish to subscriber, p50, p95, p99",
                        "%.0f, %.0f, %.0f ms",
                        latency.percentileMillis(MEDIAN),
                        latency.percentileMillis(TAIL),
                        latency.percentileMillis(FAR_TAIL)));
    }

    private static String line(String name, String format, Object... values) {
        return String.format(Locale.ROOT, "%-40s", name) + String.format(Locale.ROOT, format, values);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("published", published);
        json.put("consumed", table.arrived());
        json.put("receipts", receipts.arrived());
        json.put("lost", lost);
        json.put("doubled", doubled());
        json.put("out_of_order", outOfOrder());
        json.put("kills", kills);
        json.put("failovers", failovers);
        json.put("store_puts", puts);
        json.put("commits", commits);
        Map<String, Object> percentiles = new LinkedHashMap<>();
        percentiles.put("p50", latency.percentileMillis(MEDIAN));
        percentiles.put("p95", latency.percentileMillis(TAIL));
        percentiles.put("p99", latency.percentileMillis(FAR_TAIL));
        json.put("latency_ms", percentiles);
        return json;
    }
}
