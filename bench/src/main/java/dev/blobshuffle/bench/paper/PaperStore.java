package dev.blobshuffle.bench.paper;

import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.util.Optional;

/**
 * The store of the paper, from what it says about its puts and gets (section 5.2): times double
 * from p50 to p95 and from p95 to p99, and a put of 16 MiB takes 7 to 9 times as long as a get. The
 * text has no absolute time. The level is fixed by one number, {@link #FITTED}, which is not
 * compared with anything. How times depend on size is an assumption. Stateless.
 */
public final class PaperStore {
    /** The number by which the level of the times is fixed. */
    public static final String FITTED = "Figure 10: p95 of 1.56 s with 12 instances";

    /** Name of the profile in results. */
    public static final String NAME = "s3-paper-requests";

    private static final double SPREAD_OF_BASE = 0.45;
    private static final double SPREAD_OF_BANDWIDTH = 0.40;
    private static final double TAIL_SHARE = 0.04;
    private static final double TAIL_FACTOR = 3;
    private static final double PUT_MILLIS = 120;
    private static final double PUT_BANDWIDTH = 46;
    private static final double GET_MILLIS = 20;
    private static final double GET_BANDWIDTH = 390;

    private PaperStore() {}

    /** The profile. */
    public static LatencyProfile profile() {
        return withTail(TAIL_SHARE, TAIL_FACTOR);
    }

    /**
     * The profile with another tail, to show what depends on it.
     *
     * @param share of requests that are much slower
     * @param factor by which they are slower
     */
    static LatencyProfile withTail(double share, double factor) {
        return new LatencyProfile(
                NAME,
                Optional.of(new LatencyModel(
                        PUT_MILLIS, SPREAD_OF_BASE, PUT_BANDWIDTH, SPREAD_OF_BANDWIDTH, share, factor)),
                Optional.of(new LatencyModel(
                        GET_MILLIS, SPREAD_OF_BASE, GET_BANDWIDTH, SPREAD_OF_BANDWIDTH, share, factor)));
    }
}
