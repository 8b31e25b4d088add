package dev.blobshuffle.s3sim;

/**
 * How many requests per second each prefix may have before it answers {@link S3Error#SLOW_DOWN}; a
 * second's worth may come at once. Every deleted key counts as a write.
 *
 * @param depth prefixes end at the so-many-th slash of a key; 0: the whole bucket is one
 * @param writesPerSecond puts and deletes
 * @param readsPerSecond gets, heads and listings
 */
public record ThrottleLimit(int depth, double writesPerSecond, double readsPerSecond) {
    /** Checks the numbers. */
    public ThrottleLimit {
        if (depth < 0 || !(writesPerSecond > 0) || !(readsPerSecond > 0)) {
            throw new IllegalArgumentException("Cannot throttle to depth " + depth + ", " + writesPerSecond
                    + " writes/s, " + readsPerSecond + " reads/s: give 0 or more, and rates above 0.");
        }
    }

    String prefix(String key) {
        int end = 0;
        for (int i = 0; i < depth; i++) {
            int slash = key.indexOf('/', end);
            if (slash < 0) {
                break;
            }
            end = slash + 1;
        }
        return key.substring(0, end);
    }
}
