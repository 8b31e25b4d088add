package dev.blobshuffle.planner;

import dev.blobshuffle.core.pricing.PriceTable;
import java.util.Optional;

/**
 * The paper's analytical model (section 4) with what it leaves out: commits and delays that seal batches early, packing, inlining, threads that share a blob,
 * compression, notifications through Kafka, hedging, retention, the cache's part, and latency as a distribution. Its terms are documented in {@code docs/planner.md} and
 * checked against the running engine there. Stateless.
 */
public final class ShuffleModel {
    /** Commits depend on the blobs they wait for, and these on the commits. */
    private static final int ROUNDS = 6;

    private static final int SEALS_PER_ROUND = 200;
    private static final int COMMITS_PER_ROUND = 10;

    /** A change of the commits' time by this share of their interval changes no result that is shown. */
    private static final double CONVERGED = 0.005;

    private final PriceTable prices;
    private final LatencyProfile profile;
    private final LatencyForecast.Overheads overheads;

    /** A model of one provider's prices and one store's latencies, with Kafka's latencies in one region. */
    public ShuffleModel(PriceTable prices, LatencyProfile profile) {
        this(prices, profile, LatencyForecast.Overheads.KAFKA);
    }

    private ShuffleModel(PriceTable prices, LatencyProfile profile, LatencyForecast.Overheads overheads) {
        this.prices = prices;
        this.profile = profile;
        this.overheads = overheads;
    }

    /**
     * The same model with another channel.
     *
     * @param channelSeconds from the send of a notification until a reader has it
     * @param commitSeconds a commit's own round trips, after the flush
     */
    public ShuffleModel withChannel(double channelSeconds, double commitSeconds) {
        return new ShuffleModel(prices, profile, new LatencyForecast.Overheads(channelSeconds, commitSeconds));
    }

    /** The prices. */
    public PriceTable prices() {
        return prices;
    }

    /** The latencies of requests. */
    public LatencyProfile profile() {
        return profile;
    }

    /**
     * What a tuning gives.
     *
     * @param seals how many seals the latency is drawn from; 2,000 are good for a p95 within about 2 %
     */
    public Estimate estimate(Workload workload, Tuning tuning, int seals) {
        LatencyForecast forecast = new LatencyForecast(workload, tuning, profile, overheads);
        double rough = commitWait(workload, tuning);
        forecast.run(new Batching(workload, tuning, rough), seals);
        // Drawn from more commits than the search for it had.
        double wait = forecast.commits() > SEALS_PER_ROUND ? forecast.commitWait() : rough;
        Batching batching = new Batching(workload, tuning, wait);
        Traffic traffic = Traffic.of(workload, tuning, batching);
        Seal largest = batching.seal(0, Math.min(batching.fullSeconds(), batching.windowSeconds()));
        return new Estimate(
                tuning,
                traffic,
                Cost.of(traffic, workload, tuning, prices),
                forecast.latencies(),
                largest.isInlined() ? 0 : largest.bytes() / largest.blobs().size(),
                largest.seconds(),
                batching.isFilledBySize() && batching.sizeSeconds() <= batching.windowSeconds(),
                wait,
                workload.commitInterval().toNanos() / 1e9 / batching.cycleSeconds(),
                writeBuffer(workload, batching, largest));
    }

    /** Only costs: as {@link #estimate}, without drawing latencies where commits are rare. */
    Cost cost(Workload workload, Tuning tuning) {
        Batching batching = new Batching(workload, tuning, commitWait(workload, tuning));
        return Cost.of(Traffic.of(workload, tuning, batching), workload, tuning, prices);
    }

    private double commitWait(Workload workload, Tuning tuning) {
        double wait = 0;
        // A commit waits for puts only: gets would only cost time here.
        LatencyProfile putsOnly = new LatencyProfile(profile.name(), profile.put(), Optional.empty());
        for (int i = 0; i < ROUNDS; i++) {
            Batching batching = new Batching(workload, tuning, wait);
            LatencyForecast forecast = new LatencyForecast(workload, tuning, putsOnly, overheads);
            forecast.runCommits(batching, COMMITS_PER_ROUND, SEALS_PER_ROUND);
            double before = wait;
            wait = forecast.commitWait();
            if (Math.abs(wait - before) < CONVERGED * batching.cycleSeconds()) {
                break;
            }
        }
        return wait;
    }

    /** A full batch, and what comes while the slowest of a hundred puts is under way: nothing, where each batch is a commit's that a lone thread waits for. */
    private double writeBuffer(Workload workload, Batching batching, Seal largest) {
        boolean standsStill = batching.lanes() == 1 && batching.fullSeconds() >= batching.windowSeconds();
        double putSeconds = largest.isInlined() || standsStill
                ? 0
                : putSeconds(largest.bytes() / largest.blobs().size(), 0.99);
        double batches = batching.batchers() / workload.instances();
        double batch = batches * largest.records() * batching.rawRecordBytes();
        return batch + workload.bytesPerSecond() / workload.instances() * putSeconds;
    }

    private double putSeconds(double bytes, double share) {
        return profile.put()
                .map(model -> model.quantileMillis(bytes, share) / 1000)
                .orElse(0.0);
    }
}
