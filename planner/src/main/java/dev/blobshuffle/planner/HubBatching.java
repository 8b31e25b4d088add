package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * How the blobs of a zone's instances become combined blobs: {@code Hub} in the engine. All
 * instances seal at multiples of the delay, so their parts arrive together. Commits seal in
 * between. If commits are rarer than the delay, those of different instances come at different
 * times, and the hub waits for others for its window. If commits seal every batch, those whose
 * parts shared a blob end together, and so commit together again: after some commits all of a zone
 * share one blob.
 */
final class HubBatching {
    /** From the seal to the hub, and from the hub's put to the instance. An assumption. */
    static final double HAND_OVER_SECONDS = 0.002;

    /** Parts of this share of a blob do not fit, because parts have footers and vary. */
    private static final double FULL = 0.98;

    private static final int SAMPLES = 2000;
    private static final int MEAN_SAMPLES = 200;

    private final Workload workload;
    private final Tuning tuning;
    private final Batching batching;
    private final CombineOptions options;

    /**
     * Combined blobs of one kind.
     *
     * @param perSecond rate for one hub
     * @param parts parts in one
     * @param records records in one
     * @param bytes bytes of one
     */
    record Kind(double perSecond, double parts, double records, double bytes) {}

    HubBatching(Workload workload, Tuning tuning, Batching batching) {
        this.workload = workload;
        this.tuning = tuning;
        this.batching = batching;
        long part = CombineSettings.MAX_PART.defaultValue().bytes();
        long blob = (long) tuning.blobBytes();
        options = CombineOptions.of(Math.min(part, blob), blob, Math.max(part, blob));
    }

    /** Whether instances hand over their blobs, and a zone has several. */
    boolean isUsed() {
        Seal full = part();
        return tuning.combining() == Tuning.Combining.ZONE
                && contributors() > 1
                && !full.isInlined()
                && full.bytes() < options.partBytes()
                && !(batching.isFilledBySize() && batching.sizeSeconds() < batching.windowSeconds());
    }

    /** A batch that no commit cut short. */
    private Seal part() {
        return batching.seal(0, Math.min(batching.fullSeconds(), batching.windowSeconds()));
    }

    /** Batchers that share a hub. */
    double contributors() {
        return batching.batchers() / workload.zones();
    }

    /** Whether commits seal every batch, and so all instances of a zone commit together. */
    boolean isInStep() {
        return batching.windowSeconds() < batching.fullSeconds();
    }

    /** Share of the time in which an instance appends. */
    private double appending() {
        return batching.lanes() == 1 ? Math.min(1, batching.windowSeconds() / batching.cycleSeconds()) : 1;
    }

    private double occupied(double seconds) {
        return 1 - Math.exp(-batching.recordRate() * seconds);
    }

    /** The blobs that are sealed at multiples of the delay. */
    private List<Kind> rounds() {
        double seconds = isInStep() ? batching.windowSeconds() / 2 : batching.fullSeconds();
        double parts = contributors() * occupied(seconds) * (isInStep() ? 1 : appending());
        double rounds = (isInStep() ? appending() : 1) / batching.fullSeconds();
        Seal part = batching.seal(0, seconds);
        return kinds(part.isInlined() ? 0 : rounds * Math.min(1, parts), Math.max(1, parts), part);
    }

    /** The blobs that commits seal. */
    private List<Kind> commits() {
        double commits = contributors() * batching.commitsPerSecond();
        if (isInStep()) {
            double seconds = batching.windowSeconds();
            double parts = contributors() * occupied(seconds);
            return kinds(commits / contributors() * Math.min(1, parts), Math.max(1, parts), batching.seal(0, seconds));
        }
        List<Seal> cuts = new ArrayList<>();
        batching.addCut(cuts, commits);
        double arrivals = cuts.stream()
                .filter(cut -> !cut.isInlined())
                .mapToDouble(Seal::perSecond)
                .sum();
        double window = seconds(options.window());
        double parts = 1 + arrivals * window;
        double alone = Math.max(0, 1 - window / batching.fullSeconds());
        return cuts.stream()
                .filter(cut -> !cut.isInlined())
                .map(cut -> kind(cut.perSecond() / parts * alone, parts, cut))
                .toList();
    }

    /** Every kind of combined blob. */
    List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>(commits());
        kinds.addAll(rounds());
        return kinds;
    }

    /** The blob that most records are in. */
    Kind main() {
        return isInStep() ? commits().get(0) : round();
    }

    /** The blob of most records that are sealed at multiples of the delay. */
    Kind round() {
        return rounds().get(0);
    }

    /** The blobs of parts that arrive together: full ones, and one of the rest, which is last. */
    private List<Kind> kinds(double perSecond, double parts, Seal part) {
        double most = partsPerBlob(part);
        if (parts * part.bytes() <= FULL * tuning.blobBytes() || most >= parts) {
            return List.of(kind(perSecond, parts, part));
        }
        double full = Math.ceil(parts / most) - 1;
        return List.of(kind(perSecond * full, most, part), kind(perSecond, parts - full * most, part));
    }

    private static Kind kind(double perSecond, double parts, Seal part) {
        return new Kind(perSecond, parts, part.records() * parts, part.bytes() * parts);
    }

    private double partsPerBlob(Seal part) {
        return Math.max(1, Math.floor(FULL * tuning.blobBytes() / part.bytes()));
    }

    /**
     * Share of the parts that wait for the window, because a live instance has no part for the
     * blob: it commits, it has no records, or its part is in a blob before.
     */
    double waitingShare() {
        List<Kind> together = isInStep() ? commits() : rounds();
        if (together.size() > 1) {
            return together.get(1).parts() / contributors();
        }
        double present = together.get(0).parts() / contributors();
        return 1 - Math.pow(Math.min(1, present), contributors());
    }

    double windowSeconds() {
        return seconds(options.window());
    }

    /** Seconds after which an instance also stores a part by itself. */
    double patienceSeconds(RequestTimes requests) {
        double bytes = main().bytes();
        double sum = 0;
        for (int i = 0; i < MEAN_SAMPLES; i++) {
            sum += requests.put(bytes);
        }
        double mean = sum / MEAN_SAMPLES + HAND_OVER_SECONDS + waitingShare() * windowSeconds();
        return Math.max(seconds(options.slow()), 2 * mean);
    }

    /** Share of the parts that their instances also store, because the hub's put is slow. */
    double slowShare(LatencyProfile profile) {
        LongSupplier random = new SplittableRandom(LatencyForecast.SEED)::nextLong;
        RequestTimes requests = new RequestTimes(profile, tuning.hedgedShare(), random);
        double patience = patienceSeconds(requests) - HAND_OVER_SECONDS - waitingShare() * windowSeconds();
        double bytes = main().bytes();
        double[] puts = new double[SAMPLES];
        Arrays.setAll(puts, i -> requests.put(bytes));
        return (double) Arrays.stream(puts).filter(put -> put > patience).count() / SAMPLES;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
