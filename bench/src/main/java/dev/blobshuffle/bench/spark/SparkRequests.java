package dev.blobshuffle.bench.spark;

import dev.blobshuffle.s3sim.Operation;
import dev.blobshuffle.s3sim.RequestCounts;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The requests of one application, counted by the store. Warm-up is included.
 *
 * @param system that shuffled
 * @param round counted from 0
 * @param puts requests that write
 * @param gets requests that read
 * @param others all other requests
 * @param bytesIn written into the store
 * @param bytesOut read from it
 */
record SparkRequests(SparkSystem system, int round, long puts, long gets, long others, long bytesIn, long bytesOut) {
    private static final double BYTES_PER_MB = 1e6;

    static SparkRequests of(SparkSystem system, int round, RequestCounts counts) {
        long puts = counts.of(Operation.PUT_OBJECT);
        long gets = counts.of(Operation.GET_OBJECT);
        return new SparkRequests(
                system, round, puts, gets, counts.total() - puts - gets, counts.bytesIn(), counts.bytesOut());
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "%-20s round %d: %d PUT, %d GET, %d others; %.0f MB written, %.0f MB read",
                system.title(),
                round + 1,
                puts,
                gets,
                others,
                bytesIn / BYTES_PER_MB,
                bytesOut / BYTES_PER_MB);
    }

    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("system", system.name());
        json.put("round", round);
        json.put("puts", puts);
        json.put("gets", gets);
        json.put("others", others);
        json.put("bytes_in", bytesIn);
        json.put("bytes_out", bytesOut);
        return json;
    }
}
