package dev.blobshuffle.bench.soak;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state at a moment.
 *
 * @param seconds since the start
 * @param relations the tables and indexes of the log
 * @param blobs objects in the store
 * @param commits batches that were committed since the start
 * @param p50Millis median time until a publish was acknowledged, since the previous sample
 * @param p95Millis 95th percentile of the same times
 */
record SoakSample(
        long seconds, List<Relation> relations, long blobs, long commits, double p50Millis, double p95Millis) {
    long bytes() {
        return relations.stream().mapToLong(Relation::bytes).sum();
    }

    long dead() {
        return relations.stream().mapToLong(Relation::dead).sum();
    }

    String line() {
        return "%6d s  %8.1f MiB  %8d dead rows  %6d blobs  %8d commits  publish p50 %.0f, p95 %.0f ms"
                .formatted(seconds, bytes() / (double) (1 << 20), dead(), blobs, commits, p50Millis, p95Millis);
    }

    Map<String, Object> asJson() {
        Map<String, Object> sizes = new LinkedHashMap<>();
        relations.forEach(relation -> sizes.put(relation.name(), relation.bytes()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seconds", seconds);
        json.put("bytes", sizes);
        json.put("dead_rows", dead());
        json.put("blobs", blobs);
        json.put("commits", commits);
        json.put("publish_p50_ms", p50Millis);
        json.put("publish_p95_ms", p95Millis);
        return json;
    }
}
