package dev.blobshuffle.planner;

import dev.blobshuffle.core.internal.write.options.BatchScope;
import java.util.ArrayList;
import java.util.List;

/**
 * How batches fill and when they are sealed: the paper's fill time (section 4.2), plus the delay
 * budget and commits, which seal partial batches.
 *
 * <p>A commit interval contains full batches, which size or delay seals. It ends with a remainder,
 * which the commit seals. A thread appends nothing while it waits for its commit; afterwards it
 * appends the records that arrived meanwhile, faster. Threads that share a batch seal for each
 * other. With group commit, threads whose commits are due within a short window share a seal.
 */
final class Batching {
    /**
     * Group commit's longest window, and its share of the interval: {@code GroupCommit} in the
     * Batcher.
     */
    private static final double LONGEST_WINDOW_SECONDS = 0.010;

    private static final double WINDOW_SHARE = 0.1;

    /**
     * A lane reports its bytes in steps, so the batch is sealed earlier by up to a step:
     * {@code OpenBatch} in the Batcher.
     */
    private static final double LARGEST_STEP = 32 << 10;

    private static final double STEPS_PER_BATCH = 32;

    /**
     * Expected maximum of this many normal numbers: how far the fullest zone is ahead of the mean,
     * in standard deviations.
     */
    private static final double[] FULLEST = {0, 0, 0.56, 0.85, 1.03, 1.16, 1.27, 1.35, 1.42, 1.49, 1.54};

    /** Standard deviation of the largest of three normal numbers. */
    private static final double FULLEST_SPREAD = 0.75;

    private static final double LARGEST_SPREAD = 0.15;

    private static final double MILLISECOND = 1e-3;

    /** The middles of equally likely parts of the uniform distribution. */
    private static final double[] UNIFORM = {0.125, 0.375, 0.625, 0.875};

    /** Below this number of records, a batch is determined by their count, not by bytes. */
    private static final double FEW_RECORDS = 4;

    /** The deviations of a constant time. */
    private static final double[] CERTAIN = {0};

    /** The medians of eight equally likely parts of the normal distribution. */
    private static final double[] NORMAL = {-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534};

    private final Workload workload;
    private final Tuning tuning;
    private final double commitWait;

    /** @param commitWait seconds that a commit takes, on average */
    Batching(Workload workload, Tuning tuning, double commitWait) {
        this.workload = workload;
        this.tuning = tuning;
        this.commitWait = commitWait;
    }

    /** Number of Batchers that each fill their own batch. */
    double batchers() {
        return tuning.scope() == BatchScope.INSTANCE
                ? workload.instances()
                : (double) workload.instances() * workload.threads();
    }

    /** Threads that share a batch. */
    int lanes() {
        return tuning.scope() == BatchScope.INSTANCE ? workload.threads() : 1;
    }

    private double commitSeconds() {
        return workload.commitInterval().toNanos() / 1e9;
    }

    /** Seconds from one commit of a thread to its next. */
    double cycleSeconds() {
        return commitSeconds() + commitWait;
    }

    /**
     * Seals by commits in one cycle: one for each group of threads whose commits are due together.
     */
    double commitGroups() {
        double window = Math.min(LONGEST_WINDOW_SECONDS, WINDOW_SHARE * commitSeconds());
        return lanes() / (1 + (lanes() - 1) * window / cycleSeconds());
    }

    /**
     * Seconds of appending before a commit. A single thread stops during its commit; several
     * threads take turns.
     */
    double windowSeconds() {
        return lanes() == 1 ? commitSeconds() : cycleSeconds() / commitGroups();
    }

    double commitsPerSecond() {
        return commitGroups() / cycleSeconds();
    }

    /** Records per second into one batch while it fills. */
    double recordRate() {
        double average = workload.recordsPerSecond() / batchers();
        return lanes() == 1 ? average * cycleSeconds() / commitSeconds() : average;
    }

    /** Stored bytes of a record. */
    double storedRecordBytes() {
        return rawRecordBytes() * workload.compression();
    }

    /** Bytes of a record in the write buffer. */
    double rawRecordBytes() {
        return workload.recordBytes() + tuning.overheadBytes();
    }

    double byteRate() {
        return recordRate() * storedRecordBytes();
    }

    /** Seconds until the batch is sealed by size; the fullest zone decides. */
    double sizeSeconds() {
        double size = tuning.blobBytes();
        if (tuning.layout() == Tuning.Layout.SINGLE) {
            return Math.max(1 / recordRate(), size / byteRate());
        }
        double ahead = 0;
        if (tuning.layout() == Tuning.Layout.PACKED) {
            int zones = Math.min(workload.zones(), FULLEST.length - 1);
            double step = stepBytes();
            // A lane reports a step plus the rest of the record that ends it.
            double reports = Math.max(1, size * workload.compression() / step - lanes());
            double beyond = Math.min(reports * storedRecordBytes() / 2, step / 2);
            ahead = step * (lanes() + 0.5) - beyond + FULLEST[zones] * sectionSpread();
        }
        double reported = Math.max(size / 2, size - ahead);
        return Math.max(1 / recordRate(), reported / (byteRate() * largestShare()));
    }

    /**
     * Bytes that a lane holds back before it reports them. The batch is sealed when all but a step
     * of each lane is reported.
     */
    private double stepBytes() {
        return Math.min(LARGEST_STEP, tuning.blobBytes() / (STEPS_PER_BATCH * lanes())) * workload.compression();
    }

    /**
     * Standard deviation of a section's size. Records are distributed at random, and steps start
     * where the last batch ended.
     */
    private double sectionSpread() {
        double step = stepBytes();
        return Math.sqrt(tuning.blobBytes() * storedRecordBytes() + lanes() * step * step / 12);
    }

    /**
     * Relative standard deviation of the time until a seal by size, averaged over the batches of a
     * commit interval.
     */
    double fillSpread() {
        if (!isFilledBySize() || recordRate() * fullSeconds() < FEW_RECORDS) {
            return 0;
        }
        double batches = Math.max(1, windowSeconds() / fullSeconds());
        return Math.min(LARGEST_SPREAD, FULLEST_SPREAD * sectionSpread() / tuning.blobBytes() / Math.sqrt(batches));
    }

    /**
     * Seconds from one seal by delay to the next: the delay starts at the first record, unless it
     * ends at multiples of itself.
     */
    private double delaySeconds() {
        double delay = tuning.delay().toNanos() / 1e9;
        return isAligned() ? Math.max(delay, MILLISECOND) : delay + 1 / recordRate();
    }

    private boolean isAligned() {
        return tuning.combining() == Tuning.Combining.ZONE;
    }

    boolean isFilledBySize() {
        return sizeSeconds() <= delaySeconds();
    }

    /** Seconds that a batch fills if no commit seals it. */
    double fullSeconds() {
        return Math.min(sizeSeconds(), delaySeconds());
    }

    private double largestShare() {
        return Math.ceil((double) workload.partitions() / workload.zones()) / workload.partitions();
    }

    /** Every kind of seal. */
    List<Seal> seals() {
        double window = windowSeconds();
        double full = fullSeconds();
        double commits = commitsPerSecond();
        List<Seal> seals = new ArrayList<>();
        if (isAligned() && !isFilledBySize()) {
            addAligned(seals);
        } else if (full >= window) {
            double occupied = 1 - Math.exp(-recordRate() * window);
            seals.add(seal(commits * occupied, window / occupied));
        } else {
            // The fill of the last batch at the commit depends on the times of the batches before
            // it.
            for (double deviation : isFilledBySize() ? NORMAL : CERTAIN) {
                double actual = full * (1 + deviation * fillSpread());
                double share = commits / (isFilledBySize() ? NORMAL.length : 1);
                double count = Math.floor(window / actual);
                seals.add(seal(share * count, actual));
                addRemainder(seals, share, window - count * actual);
            }
        }
        return seals;
    }

    /** A commit interval begins and ends at random between two multiples of the delay. */
    private void addAligned(List<Seal> seals) {
        double window = windowSeconds();
        double delay = fullSeconds();
        double commits = commitsPerSecond();
        double split = Math.min(1, window / delay);
        addRemainder(seals, commits * (window >= delay ? window / delay - 1 : 1 - split), Math.min(delay, window));
        addCut(seals, 2 * commits * split);
    }

    /** Seals of batches that a commit cuts short, on one side or the other. */
    void addCut(List<Seal> seals, double perSecond) {
        for (double share : UNIFORM) {
            addRemainder(seals, perSecond / UNIFORM.length, share * Math.min(fullSeconds(), windowSeconds()));
        }
    }

    private void addRemainder(List<Seal> seals, double perSecond, double seconds) {
        double occupied = 1 - Math.exp(-recordRate() * seconds);
        if (seconds > 1e-9 && occupied > 0) {
            seals.add(seal(perSecond * occupied, seconds / occupied));
        }
    }

    /** The seal of a batch that has filled for the given seconds. */
    Seal seal(double perSecond, double seconds) {
        double records = Math.max(1, recordRate() * seconds);
        double bytes = records * storedRecordBytes();
        double rawBytes = bytes / workload.compression();
        boolean inlined = rawBytes < tuning.inlineBytes();
        List<List<Double>> blobs = inlined
                ? List.of()
                : SectionPacking.pack(sections(records, bytes), tuning.layout(), tuning.blobBytes());
        return new Seal(perSecond, seconds, records, bytes, blobs);
    }

    private List<Double> sections(double records, double bytes) {
        int zones = workload.zones();
        int partitions = workload.partitions();
        int present = (int) Math.round(zonesHit(records));
        List<Double> sections = new ArrayList<>();
        for (int zone = 0; zone < Math.max(1, present); zone++) {
            double share = present < zones
                    ? 1.0 / Math.max(1, present)
                    : (double) (partitions / zones + (zone < partitions % zones ? 1 : 0)) / partitions;
            sections.add(bytes * share);
        }
        return sections;
    }

    /** Zones for which records are. */
    double zonesHit(double records) {
        return hit(Math.min(workload.zones(), workload.partitions()), records);
    }

    /** Segments of a seal: pairs of lane and partition with records. */
    double segments(Seal seal) {
        return lanes() * hit(workload.partitions(), seal.records() / lanes());
    }

    /** Partitions with records in a seal. */
    double partitions(Seal seal) {
        return hit(workload.partitions(), seal.records());
    }

    /** Expected number of places that randomly distributed records hit. */
    private static double hit(int places, double records) {
        return places * (1 - Math.pow(1 - 1.0 / places, records));
    }
}
