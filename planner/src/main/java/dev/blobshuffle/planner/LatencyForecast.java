package dev.blobshuffle.planner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * The latency of records as a distribution: a Monte Carlo run over the seals of one Batcher, with
 * request times drawn from a profile. Each seal puts its blobs. A zone's records are notified when
 * their blob is stored and all earlier records have been notified. Readers see them at once, or at
 * the end of the commit under exactly-once. Readers get the section and return its records in
 * order, behind those of other Batchers in the partition. Requests are independent, and processing
 * takes no time. The seed makes the run repeatable, and is the same for all compared tunings. Owned
 * by one thread.
 */
final class LatencyForecast implements Forecast {
    static final long SEED = 20_260_603;
    private static final int WARM_UP = 20;
    private static final int SEALS_BEFORE_COMMIT = 25;
    private static final int RECORDS_PER_SECTION = 2;

    private final Workload workload;
    private final Tuning tuning;
    private final LatencyProfile profile;
    private final Overheads overheads;
    private final LongSupplier random = new SplittableRandom(SEED)::nextLong;
    private final LatencySamples latencies = new LatencySamples();
    private final RequestTimes requests;
    private final List<Pending> pending = new ArrayList<>();
    private final double[] delivered;
    private final double[] handedOut;
    private double waitSum;
    private int waits;
    private HeadOfLineWait headOfLine = HeadOfLineWait.NONE;

    /**
     * Times outside the store, seconds.
     *
     * @param channel from the send of a notification until a reader has it
     * @param commit a commit's own round trips, after the flush
     */
    record Overheads(double channel, double commit) {
        /**
         * Kafka in one region: a median of 15 ms from producer to consumer, and some round trips
         * for a commit. Assumptions.
         */
        static final Overheads KAFKA = new Overheads(0.015, 0.010);
    }

    /** A section whose records are not visible yet. */
    private record Pending(int zone, double start, double sealed, double delivered, double bytes) {}

    LatencyForecast(Workload workload, Tuning tuning, LatencyProfile profile, Overheads overheads) {
        this.workload = workload;
        this.tuning = tuning;
        this.profile = profile;
        this.overheads = overheads;
        requests = new RequestTimes(profile, tuning.hedgedShare(), random);
        delivered = new double[workload.zones()];
        handedOut = new double[workload.zones()];
    }

    /** Runs the given number of seals. */
    void run(Batching batching, int seals) {
        run(batching, seals, 0, Integer.MAX_VALUE);
    }

    /**
     * Runs at least the given numbers of commits and seals, and skips work that ends long before a
     * commit. Enough for {@link #commitWait}.
     */
    void runCommits(Batching batching, int commits, int seals) {
        run(batching, seals, commits, SEALS_BEFORE_COMMIT);
    }

    private void run(Batching batching, int seals, int leastCommits, int sealsBeforeCommit) {
        double window = batching.windowSeconds();
        double full = batching.fullSeconds();
        double spread = batching.fillSpread();
        headOfLine = HeadOfLineWait.of(batching, workload, tuning, profile, random);
        double ownEvery = batching.commitGroups();
        double time = 0;
        double commits = 0;
        int count = 0;
        while (count < seals + WARM_UP || waits < leastCommits) {
            double actual = full * (1 + spread * normal());
            double batches = full >= window ? 0 : window / actual;
            int whole = (int) Math.floor(batches);
            double rest = full >= window ? window : (batches - whole) * actual;
            Seal seal = batching.seal(0, actual);
            int left = Math.max(0, whole - sealsBeforeCommit);
            time += left * actual;
            for (int i = left; i < whole && (count < seals + WARM_UP || leastCommits > 0); i++) {
                time = seal(seal, time, count++ >= WARM_UP);
            }
            if (rest > 1e-9 && (count < seals + WARM_UP || leastCommits > 0)) {
                time = seal(batching.seal(0, rest), time, count++ >= WARM_UP);
            }
            commits++;
            if (commits >= ownEvery) {
                commits -= ownEvery;
                double end = commit(time);
                time = batching.lanes() == 1 ? end : time;
            }
        }
        pending.clear();
    }

    private double normal() {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += LatencyModel.uniform(random);
        }
        return sum;
    }

    private double seal(Seal seal, double start, boolean counts) {
        double sealed = start + seal.seconds();
        List<List<Double>> blobs = seal.isInlined() ? List.of(List.of(seal.bytes())) : seal.blobs();
        int zone = (int) (LatencyModel.uniform(random) * workload.zones());
        for (List<Double> blob : blobs) {
            double stored = sealed + (seal.isInlined() ? 0 : requests.put(Seal.bytesOf(blob)));
            for (double section : blob) {
                delivered[zone] = Math.max(delivered[zone], stored);
                Pending records = new Pending(zone, start, sealed, delivered[zone], seal.isInlined() ? 0 : section);
                if (!counts) {
                    handedOut[zone] = Math.max(handedOut[zone], delivered[zone]);
                } else if (workload.guarantee() == Workload.Guarantee.EXACTLY_ONCE_V2) {
                    pending.add(records);
                } else {
                    read(records, delivered[zone]);
                }
                zone = (zone + 1) % workload.zones();
            }
        }
        return sealed;
    }

    /** @return the time at which the commit has ended */
    private double commit(double start) {
        double end = Math.max(start, Arrays.stream(delivered).max().orElse(start)) + overheads.commit();
        waitSum += end - start;
        waits++;
        for (Pending records : pending) {
            read(records, end);
        }
        pending.clear();
        return end;
    }

    private void read(Pending records, double visible) {
        double notified = visible + overheads.channel();
        double arrived = notified + Math.max(get(records), headOfLine.wait(random));
        handedOut[records.zone()] = Math.max(handedOut[records.zone()], arrived);
        double seconds = records.sealed() - records.start();
        for (int i = 0; i < RECORDS_PER_SECTION; i++) {
            double appended = records.start() + LatencyModel.uniform(random) * seconds;
            double out = handedOut[records.zone()];
            latencies.add(
                    records.sealed() - appended,
                    records.delivered() - records.sealed(),
                    visible - records.delivered(),
                    out - visible,
                    seconds);
        }
    }

    private double get(Pending records) {
        boolean isLocal = tuning.cache() == Tuning.Cache.ZONE && records.zone() == 0;
        return records.bytes() == 0 || isLocal ? 0 : requests.get(readBytes(records));
    }

    private double readBytes(Pending records) {
        if (tuning.cache() == Tuning.Cache.ZONE) {
            return records.bytes();
        }
        return records.bytes() / readersPerSection(workload);
    }

    /** Consumers that together read one section. */
    static double readersPerSection(Workload workload) {
        double readers = (double) workload.instances() * workload.threads() / workload.zones();
        double partitions = (double) workload.partitions() / workload.zones();
        return Math.max(1, Math.min(readers, partitions));
    }

    @Override
    public double commitWait() {
        return waits == 0 ? 0 : waitSum / waits;
    }

    @Override
    public int commits() {
        return waits;
    }

    @Override
    public Latencies latencies() {
        return latencies.summary();
    }
}
