package dev.blobshuffle.bench.calls;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One second of a run.
 *
 * @param second seconds since the measurement began, at the end of this second
 * @param perSecond results at the sink
 * @param medianMillis of their latency; NaN without a result
 * @param queue records in the input whose result has not arrived
 */
public record CallSample(double second, double perSecond, double medianMillis, long queue) {
    Map<String, Object> asJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("second", second);
        json.put("per_second", perSecond);
        if (!Double.isNaN(medianMillis)) {
            json.put("median_ms", medianMillis);
        }
        json.put("queue", queue);
        return json;
    }
}
