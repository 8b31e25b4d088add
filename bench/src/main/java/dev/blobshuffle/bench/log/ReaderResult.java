package dev.blobshuffle.bench.log;

import dev.blobshuffle.bench.log.LogPlan.Snapshot;
import dev.blobshuffle.bench.log.LogPlan.Standby;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * The time from the acknowledgement of commits until a reader in another instance had them.
 *
 * @param standby whether there is one
 * @param snapshot whether one is held
 * @param round from 0
 * @param micros from acknowledgement to reader
 * @param problem the first difference between the reader's commits and the published ones; empty if
 *     there is none
 */
record ReaderResult(Standby standby, Snapshot snapshot, int round, Histogram micros, Optional<String> problem) {
    private static final double MEDIAN = 50;
    private static final double TAIL = 95;
    private static final double MICROS_PER_MILLI = 1000;

    double medianMillis() {
        return micros.getValueAtPercentile(MEDIAN) / MICROS_PER_MILLI;
    }

    double tailMillis() {
        return micros.getValueAtPercentile(TAIL) / MICROS_PER_MILLI;
    }

    /** The kind of run. */
    String where() {
        return (standby == Standby.NONE ? "no standby" : "synchronous standby")
                + (snapshot == Snapshot.NONE ? "" : ", old snapshot");
    }

    /** The result as a line of text. */
    String line() {
        return String.format(
                Locale.ROOT,
                "  acknowledged to reader, %s: p50 %.1f, p95 %.1f ms%s",
                where(),
                medianMillis(),
                tailMillis(),
                problem.map(text -> "  WRONG: " + text).orElse(""));
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("standby", standby.name().toLowerCase(Locale.ROOT));
        json.put("snapshot", snapshot.name().toLowerCase(Locale.ROOT));
        json.put("round", round);
        json.put("commits", micros.getTotalCount());
        json.put("acknowledged_to_reader_ms", Map.of("p50", medianMillis(), "p95", tailMillis()));
        json.put("verified", problem.isEmpty());
        problem.ifPresent(text -> json.put("problem", text));
        return json;
    }
}
