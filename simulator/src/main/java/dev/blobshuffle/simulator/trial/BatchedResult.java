package dev.blobshuffle.simulator.trial;

import java.util.List;
import java.util.Optional;

/**
 * The cost and latency of a run under a {@link SwingingLoad}.
 *
 * @param batched how batches filled
 * @param requests its requests and their price; empty if the run was stopped because an interval
 *     was too slow
 * @param intervals the p95 of the latency of each 10 s, in seconds
 */
public record BatchedResult(Batched batched, Optional<Requests> requests, List<Double> intervals) {
    /**
     * Requests to the store, and all latencies.
     *
     * @param puts per second
     * @param gets per second
     * @param usdPerHour their list price
     * @param p95 seconds, over the whole run
     */
    public record Requests(double puts, double gets, double usdPerHour, double p95) {}

    /** Copies the list. */
    public BatchedResult {
        intervals = List.copyOf(intervals);
    }

    /** The slowest interval's p95 in seconds; 0 if nothing was measured. */
    public double worst() {
        return intervals.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    /** Whether every interval has met a target. */
    public boolean meets(double targetSeconds) {
        return requests.isPresent() && !intervals.isEmpty() && worst() <= targetSeconds;
    }
}
