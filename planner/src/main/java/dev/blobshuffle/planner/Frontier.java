package dev.blobshuffle.planner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Tries sizes and delays, and keeps the tunings that no other beats in both cost and latency.
 * Stateless.
 */
final class Frontier {
    private static final int[] MEBIBYTES = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    private static final int[] MILLIS = {
        10, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 750, 1000, 1250, 1500, 2000, 3000, 5000
    };
    private static final int ROUGH_SEALS = 600;
    private static final int SEALS = 4000;

    /** The most memory that a shuffle should use for one instance's batches. */
    private static final double MOST_BUFFER = 512L << 20;

    /** A delay beyond this many fill times has no further effect. */
    private static final double SLACK = 1.5;

    private Frontier() {}

    /** Every tuning worth estimating. */
    private static List<Estimate> candidates(ShuffleModel model, Workload workload, Tuning base) {
        List<Estimate> candidates = new ArrayList<>();
        for (int millis : MILLIS) {
            for (int mebibytes : MEBIBYTES) {
                Tuning tuning = base.toBuilder()
                        .blobBytes((double) mebibytes * (1 << 20))
                        .delay(Duration.ofMillis(millis))
                        .build();
                Batching batching = new Batching(workload, tuning, 0);
                boolean delayIsSlack = millis / 1000.0 > SLACK * batching.sizeSeconds() && millis > MILLIS[0];
                if (delayIsSlack) {
                    continue;
                }
                Estimate estimate = model.estimate(workload, tuning, ROUGH_SEALS);
                if (estimate.writeBufferBytes() <= MOST_BUFFER || candidates.isEmpty()) {
                    candidates.add(estimate);
                }
                Seal full = batching.seal(0, Math.min(batching.fullSeconds(), batching.windowSeconds()));
                HubBatching hub = new HubBatching(workload, tuning, batching);
                double together = full.bytes() * (hub.isUsed() ? hub.contributors() : 1);
                if (together * 2 <= tuning.blobBytes()) {
                    break; // Larger blobs would hold the same.
                }
            }
        }
        return candidates;
    }

    /** The tunings that no other tuning beats in both cost and latency, fastest first. */
    static List<Estimate> of(ShuffleModel model, Workload workload, Tuning base) {
        List<Estimate> rough = unbeaten(candidates(model, workload, base));
        return unbeaten(rough.stream()
                .map(estimate -> model.estimate(workload, estimate.tuning(), SEALS))
                .toList());
    }

    private static List<Estimate> unbeaten(List<Estimate> candidates) {
        List<Estimate> ordered = new ArrayList<>(candidates);
        ordered.sort(Comparator.comparingDouble(
                        (Estimate estimate) -> estimate.latencies().p95())
                .thenComparingDouble(estimate -> estimate.cost().total()));
        List<Estimate> frontier = new ArrayList<>();
        double cheapest = Double.POSITIVE_INFINITY;
        for (Estimate estimate : ordered) {
            if (estimate.cost().total() < cheapest * 0.999) {
                cheapest = estimate.cost().total();
                frontier.add(estimate);
            }
        }
        return frontier;
    }
}
