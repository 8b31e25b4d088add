package dev.blobshuffle.s3sim;

/**
 * The request rate of each prefix beyond which requests get {@link S3Error#SLOW_DOWN}. A burst of
 * one second's requests is permitted. Every deleted key counts as a write.
 *
 * @param depth number of slashes in a key after which its prefix ends; 0: the whole bucket is one
 *     prefix
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
