package dev.blobshuffle.planner;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * The latency of records whose blobs a hub combines, as a distribution: the counterpart of {@link
 * LatencyForecast}. If the delay ends the batches, the hubs of all zones store at the same
 * instants, so a reader's gets from several zones overlap. If commits end them, each zone has its
 * own times. Owned by one thread.
 */
final class CombinedForecast implements Forecast {
    private static final int WARM_UP = 20;
    private static final int RECORDS_PER_BLOB = 3;

    private final Workload workload;
    private final Batching batching;
    private final HubBatching hub;
    private final HubBatching.Kind blob;
    private final HubBatching.Kind cut;
    private final LatencyProfile profile;
    private final LatencyForecast.Overheads overheads;
    private final LongSupplier random = new SplittableRandom(LatencyForecast.SEED)::nextLong;
    private final RequestTimes requests;
    private final LatencySamples latencies = new LatencySamples();
    private final double waitingShare;
    private final double patience;
    private final double hit;
    private double waitSum;
    private int waits;

    CombinedForecast(
            Workload workload,
            Tuning tuning,
            Batching batching,
            LatencyProfile profile,
            LatencyForecast.Overheads overheads) {
        this.workload = workload;
        this.batching = batching;
        this.profile = profile;
        this.overheads = overheads;
        requests = new RequestTimes(profile, tuning.hedgedShare(), random);
        hub = new HubBatching(workload, tuning, batching);
        blob = hub.main();
        cut = hub.kinds().get(0);
        waitingShare = hub.waitingShare();
        patience = hub.patienceSeconds(requests);
        hit = 1 - Math.pow(1 - 1.0 / workload.partitions(), blob.records());
    }

    /** Runs at least the given number of blobs of each hub. */
    void run(int blobs) {
        boolean isVisibleAtOnce = workload.guarantee() == Workload.Guarantee.AT_LEAST_ONCE;
        if (isVisibleAtOnce && !hub.isInStep()) {
            runRounds(blobs);
        } else {
            runCommits(blobs);
        }
    }

    /** Seconds from the seal of parts until their records may be notified. */
    private double stored(HubBatching.Kind kind, double waiting) {
        boolean waits = LatencyModel.uniform(random) < waiting;
        double seconds = HubBatching.HAND_OVER_SECONDS + (waits ? hub.windowSeconds() : 0) + requests.put(kind.bytes());
        return seconds <= patience ? seconds : Math.min(seconds, patience + requests.put(kind.bytes() / kind.parts()));
    }

    private double section(HubBatching.Kind kind) {
        return kind.bytes() / Math.max(1, batching.zonesHit(kind.records()));
    }

    /** All hubs store at multiples of the delay. The reader is in zone 0. */
    private void runRounds(int rounds) {
        double delay = batching.fullSeconds();
        int zones = workload.zones();
        double[] delivered = new double[zones];
        double[] notified = new double[zones];
        double[] arrived = new double[zones];
        double before = 0;
        for (int round = 0; round < rounds + WARM_UP; round++) {
            double sealed = round * delay;
            for (int zone = 0; zone < zones; zone++) {
                delivered[zone] = Math.max(delivered[zone], sealed + stored(blob, waitingShare));
                notified[zone] = delivered[zone] + overheads.channel();
                boolean isRead = LatencyModel.uniform(random) < hit;
                arrived[zone] = !isRead ? 0 : notified[zone] + (zone == 0 ? 0 : requests.get(section(blob)));
            }
            commit(sealed, delivered[0], delay);
            double last = before;
            for (int zone = 0; zone < zones; zone++) {
                double out = Math.max(before, notified[zone] + (zone == 0 ? 0 : requests.get(section(blob))));
                if (arrived[zone] > 0) {
                    out = Math.max(before, arrived[zone]);
                    last = Math.max(last, out);
                }
                for (int other = 0; other < zones; other++) {
                    out = notified[other] < notified[zone] ? Math.max(out, arrived[other]) : out;
                }
                if (round >= WARM_UP) {
                    add(delay, delivered[zone] - sealed, 0, out - delivered[zone]);
                }
            }
            before = last;
        }
    }

    /** A commit at a random time after a round. */
    private void commit(double sealed, double delivered, double delay) {
        double start = sealed + LatencyModel.uniform(random) * delay;
        double end = Math.max(delivered, start + stored(cut, 1)) + overheads.commit();
        waitSum += end - start;
        waits++;
    }

    private void add(double filled, double store, double commit, double read) {
        for (int i = 0; i < RECORDS_PER_BLOB; i++) {
            latencies.add(LatencyModel.uniform(random) * filled, store, commit, read, filled);
        }
    }

    /** Records of one seal that are not visible yet. */
    private record Pending(double filled, double sealed, double delivered, HubBatching.Kind kind) {}

    /** The commits of one instance, and the rounds between them. */
    private void runCommits(int blobs) {
        HubBatching.Kind round = hub.round();
        HeadOfLineWait headOfLine = headOfLine();
        double delay = batching.fullSeconds();
        double window = batching.windowSeconds();
        double time = LatencyModel.uniform(random) * delay;
        int count = 0;
        while (count < blobs + WARM_UP) {
            List<Pending> pending = new ArrayList<>();
            double start = time;
            double commit = time + window;
            double delivered = 0;
            for (double next = delay * (Math.floor(time / delay) + 1); next < commit; next += delay) {
                delivered = Math.max(delivered, next + stored(round, waitingShare));
                pending.add(new Pending(next - start, next, delivered, round));
                start = next;
            }
            delivered = Math.max(delivered, commit + stored(cut, hub.isInStep() ? waitingShare : 1));
            pending.add(new Pending(commit - start, commit, delivered, cut));
            double end = delivered + overheads.commit();
            count += pending.size();
            if (count >= WARM_UP) {
                waitSum += end - commit;
                waits++;
                pending.forEach(records -> read(records, end, headOfLine));
            }
            time = batching.lanes() == 1 ? end : commit;
        }
    }

    private void read(Pending records, double end, HeadOfLineWait headOfLine) {
        boolean isDelayed = workload.guarantee() == Workload.Guarantee.EXACTLY_ONCE_V2;
        double visible = isDelayed ? end : records.delivered();
        boolean isLocal = LatencyModel.uniform(random) * workload.zones() < 1;
        double get = isLocal ? 0 : requests.get(section(records.kind()));
        add(
                records.filled(),
                records.delivered() - records.sealed(),
                visible - records.delivered(),
                overheads.channel() + Math.max(get, headOfLine.wait(random)));
    }

    /** Sections of other zones' hubs arrive at random. */
    private HeadOfLineWait headOfLine() {
        double others = (workload.zones() - 1) * Traffic.awayShare(workload);
        double perSecond =
                hub.kinds().stream().mapToDouble(HubBatching.Kind::perSecond).sum();
        return others == 0 || profile.get().isEmpty()
                ? HeadOfLineWait.NONE
                : HeadOfLineWait.of(
                        others * perSecond * hit, section(blob), profile.get().get(), random);
    }

    @Override
    public Latencies latencies() {
        return latencies.summary();
    }

    @Override
    public double commitWait() {
        return waits == 0 ? 0 : waitSum / waits;
    }

    @Override
    public int commits() {
        return waits;
    }
}
