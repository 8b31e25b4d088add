package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.pricing.PriceTable;
import java.util.Optional;

/**
 * The paper's analytical model (section 4), with the parts that it leaves out: commits and delays
 * that seal batches early, packing, inlining, threads that share a blob, compression, notifications
 * through Kafka, hedging, retention, caches, and latency as a distribution.
 * {@code docs/guides/planner.md} documents its terms and compares them with the running engine.
 * Stateless.
 */
public final class ShuffleModel {
    /**
     * Rounds of the fixed-point search: commits depend on the blobs they wait for, and these on the
     * commits.
     */
    private static final int ROUNDS = 6;

    private static final int SEALS_PER_ROUND = 200;
    private static final int COMMITS_PER_ROUND = 10;

    /**
     * The search ends when the time of a commit changes by less than this share of the interval.
     * Smaller changes do not affect the shown results.
     */
    private static final double CONVERGED = 0.005;

    private final PriceTable prices;
    private final KafkaPrices kafka;
    private final LatencyProfile profile;
    private final LatencyForecast.Overheads overheads;

    /**
     * A model of one provider's prices and one store's latencies, with Kafka's latencies in one
     * region.
     */
    public ShuffleModel(PriceTable prices, LatencyProfile profile) {
        this(prices, KafkaPriceTables.selfManaged(), profile, LatencyForecast.Overheads.KAFKA);
    }

    private ShuffleModel(
            PriceTable prices, KafkaPrices kafka, LatencyProfile profile, LatencyForecast.Overheads overheads) {
        this.prices = prices;
        this.kafka = kafka;
        this.profile = profile;
        this.overheads = overheads;
    }

    /**
     * The same model with another channel.
     *
     * @param channelSeconds from the send of a notification until its arrival at a reader
     * @param commitSeconds a commit's own round trips, after the flush
     */
    public ShuffleModel withChannel(double channelSeconds, double commitSeconds) {
        return new ShuffleModel(prices, kafka, profile, new LatencyForecast.Overheads(channelSeconds, commitSeconds));
    }

    /** The same model with another Kafka: its prices, and the time that its notifications take. */
    public ShuffleModel withKafka(KafkaPrices service) {
        return new ShuffleModel(
                prices,
                service,
                profile,
                new LatencyForecast.Overheads(service.notificationSeconds(), overheads.commit()));
    }

    /** The same model with another store's latencies. */
    ShuffleModel withProfile(LatencyProfile other) {
        return new ShuffleModel(prices, kafka, other, overheads);
    }

    /** The prices. */
    public PriceTable prices() {
        return prices;
    }

    /** The prices of Kafka. */
    public KafkaPrices kafka() {
        return kafka;
    }

    /** Dollars per hour for a flow of bytes through a topic in Kafka. */
    double inKafka(double bytesPerSecond, Workload workload, KafkaPrices.Readers readers) {
        return kafka.usdPerHour(bytesPerSecond, prices, workload, readers);
    }

    /** The latencies of requests. */
    public LatencyProfile profile() {
        return profile;
    }

    /**
     * Estimates a tuning.
     *
     * @param seals number of simulated seals; 2,000 give a p95 within about 2 %
     */
    public Estimate estimate(Workload workload, Tuning tuning, int seals) {
        double rough = commitWait(workload, tuning);
        Forecast forecast = forecast(workload, tuning, new Batching(workload, tuning, rough), seals);
        // The forecast has more commits than the search, so its mean is more precise.
        double wait = forecast.commits() > SEALS_PER_ROUND ? forecast.commitWait() : rough;
        Batching batching = new Batching(workload, tuning, wait);
        Traffic traffic = Traffic.of(workload, tuning, batching, profile);
        Seal largest = batching.seal(0, Math.min(batching.fullSeconds(), batching.windowSeconds()));
        HubBatching hub = new HubBatching(workload, tuning, batching);
        return new Estimate(
                tuning,
                traffic,
                Cost.of(traffic, workload, tuning, prices, kafka),
                forecast.latencies(),
                blobBytes(hub, largest),
                largest.seconds(),
                batching.isFilledBySize() && batching.sizeSeconds() <= batching.windowSeconds(),
                wait,
                workload.commitInterval().toNanos() / 1e9 / batching.cycleSeconds(),
                writeBuffer(workload, batching, largest, blobBytes(hub, largest)),
                hub.isUsed() ? hub.main().parts() : 1);
    }

    private static double blobBytes(HubBatching hub, Seal largest) {
        if (hub.isUsed()) {
            return hub.main().bytes();
        }
        return largest.isInlined() ? 0 : largest.bytes() / largest.blobs().size();
    }

    private Forecast forecast(Workload workload, Tuning tuning, Batching batching, int seals) {
        if (new HubBatching(workload, tuning, batching).isUsed()) {
            CombinedForecast combined = new CombinedForecast(workload, tuning, batching, profile, overheads);
            combined.run(seals);
            return combined;
        }
        LatencyForecast forecast = new LatencyForecast(workload, tuning, profile, overheads);
        forecast.run(batching, seals);
        return forecast;
    }

    /** Only the cost, as in {@link #estimate}, without simulating latencies if commits are rare. */
    Cost cost(Workload workload, Tuning tuning) {
        Batching batching = new Batching(workload, tuning, commitWait(workload, tuning));
        return Cost.of(Traffic.of(workload, tuning, batching, profile), workload, tuning, prices, kafka);
    }

    private double commitWait(Workload workload, Tuning tuning) {
        double wait = 0;
        // A commit waits only for puts, so simulating gets here would only cost time.
        LatencyProfile putsOnly = new LatencyProfile(profile.name(), profile.put(), Optional.empty());
        for (int i = 0; i < ROUNDS; i++) {
            Batching batching = new Batching(workload, tuning, wait);
            double before = wait;
            wait = commitWait(workload, tuning, batching, putsOnly);
            if (Math.abs(wait - before) < CONVERGED * batching.cycleSeconds()) {
                break;
            }
        }
        return wait;
    }

    private double commitWait(Workload workload, Tuning tuning, Batching batching, LatencyProfile putsOnly) {
        if (new HubBatching(workload, tuning, batching).isUsed()) {
            CombinedForecast combined = new CombinedForecast(workload, tuning, batching, putsOnly, overheads);
            combined.run(SEALS_PER_ROUND);
            return combined.commitWait();
        }
        LatencyForecast forecast = new LatencyForecast(workload, tuning, putsOnly, overheads);
        forecast.runCommits(batching, COMMITS_PER_ROUND, SEALS_PER_ROUND);
        return forecast.commitWait();
    }

    /**
     * Bytes of a full batch, plus those that arrive during the slowest of a hundred puts. None
     * arrive if commits seal every batch and a single thread waits for them.
     */
    private double writeBuffer(Workload workload, Batching batching, Seal largest, double blobBytes) {
        boolean standsStill = batching.lanes() == 1 && batching.fullSeconds() >= batching.windowSeconds();
        double putSeconds = largest.isInlined() || standsStill ? 0 : putSeconds(blobBytes, 0.99);
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
