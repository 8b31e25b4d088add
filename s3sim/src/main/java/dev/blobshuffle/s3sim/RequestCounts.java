package dev.blobshuffle.s3sim;

import java.util.Map;

/**
 * Requests that {@link S3Sim} has received. A request counts once its head has been read, even if
 * it fails.
 *
 * @param requests by operation; operations without requests are missing
 * @param failures by operation: requests that were answered with an error, or not at all;
 *     operations without failures are missing
 * @param bytesIn bytes of received bodies, without framing
 * @param bytesOut bytes of sent objects
 */
public record RequestCounts(Map<Operation, Long> requests, Map<Operation, Long> failures, long bytesIn, long bytesOut) {
    /** Copies the maps. */
    public RequestCounts {
        requests = Map.copyOf(requests);
        failures = Map.copyOf(failures);
    }

    /** Requests of one operation. */
    public long of(Operation operation) {
        return requests.getOrDefault(operation, 0L);
    }

    /** Failed requests of one operation. */
    public long failed(Operation operation) {
        return failures.getOrDefault(operation, 0L);
    }

    /** All requests. */
    public long total() {
        return requests.values().stream().mapToLong(Long::longValue).sum();
    }
}
