package dev.blobshuffle.bench.run;

/**
 * A look at a run under way.
 *
 * @param seconds since the end of the warm-up
 * @param shuffled records that have come out of the shuffle
 * @param backlog records that were sent and must still come out; not the lag of a consumer group,
 *     for a notification stands for many records and commits are rare
 */
public record Sample(double seconds, long shuffled, long backlog) {
    /**
     * The sample of a run whose backlog was noted as what had been sent.
     *
     * @param perRecord how many shuffled records a sent one becomes
     */
    Sample ofSent(double perRecord) {
        return new Sample(seconds, shuffled, Math.max(0, Math.round(backlog * perRecord) - shuffled));
    }
}
