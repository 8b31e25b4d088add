package dev.blobshuffle.kstreams.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The events of a run.
 *
 * @param deaths stream threads that died, planned or not; each was replaced
 * @param unplannedEnds instances that ended by themselves
 * @param deleted blobs that sweepers deleted
 * @param slowest the longest time of a record from input to output, including the start of the
 *     application
 */
record ChaosReport(
        ChaosOptions options,
        ChaosLedger.Verdict verdict,
        List<Hit> hits,
        int deaths,
        int unplannedEnds,
        long deleted,
        double seconds,
        Duration slowest) {
    ChaosReport {
        hits = List.copyOf(hits);
    }

    /**
     * An injected fault.
     *
     * @param at seconds since the start
     * @param puts in flight in a target instance
     * @param gets in flight in a target instance
     * @param isEffective whether something was in flight; for store faults, whether a request was
     *     hit
     */
    record Hit(ChaosFault fault, double at, int puts, int gets, boolean isEffective) {
        @Override
        public String toString() {
            return String.format(
                    "chaos at %.0f s: %s with %d puts and %d gets in flight%s",
                    at, fault, puts, gets, isEffective ? "" : ", without effect");
        }
    }

    /** Faults that hit something in flight, by kind. */
    Map<ChaosFault, Integer> effective() {
        Map<ChaosFault, Integer> numbers = new TreeMap<>();
        hits.stream().filter(Hit::isEffective).forEach(hit -> numbers.merge(hit.fault(), 1, Integer::sum));
        return numbers;
    }

    @Override
    public String toString() {
        return String.format(
                "chaos %s, %s, %s, %d broker(s), seed %d: %d faults in %.0f s, with uploads or downloads in flight %s; %d stream threads died, %d instances ended"
                        + " unplanned, %d blobs swept; the slowest record took %.1f s; %s",
                options.variant(),
                options.guarantee(),
                options.protocol(),
                options.brokers(),
                options.seed(),
                hits.size(),
                seconds,
                effective(),
                deaths,
                unplannedEnds,
                deleted,
                slowest.toMillis() / 1000.0,
                verdict);
    }
}
