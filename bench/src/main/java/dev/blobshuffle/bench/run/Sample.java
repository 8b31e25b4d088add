package dev.blobshuffle.bench.run;

/**
 * A sample of a running run.
 *
 * @param seconds since the end of the warm-up
 * @param shuffled records that have come out of the shuffle
 * @param backlog sent records that the shuffle still has to output. This is not the lag of a
 *     consumer group, because a notification stands for many records and commits are rare
 */
public record Sample(double seconds, long shuffled, long backlog) {
    /**
     * Converts a sample whose backlog is the number of sent records.
     *
     * @param perRecord number of shuffled records for each sent one
     */
    Sample ofSent(double perRecord) {
        return new Sample(seconds, shuffled, Math.max(0, Math.round(backlog * perRecord) - shuffled));
    }
}
