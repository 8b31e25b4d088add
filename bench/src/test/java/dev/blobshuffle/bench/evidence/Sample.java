package dev.blobshuffle.bench.evidence;

/**
 * A number of a result.
 *
 * @param key the repetition that it belongs to, which aligns the runs of two variants; empty if it
 *     belongs to none
 * @param number the number itself
 * @param isSteady whether all runs that it comes from were steady
 */
record Sample(String key, double number, boolean isSteady) {
    /** A number that comes from no run. */
    static Sample of(double number) {
        return new Sample("", number, true);
    }

    /** The same run with another number. */
    Sample with(double other) {
        return new Sample(key, other, isSteady);
    }

    /** The result of an operation on two samples. */
    Sample with(Sample other, double result) {
        return new Sample(key.isEmpty() ? other.key : key, result, isSteady && other.isSteady);
    }
}
