package dev.blobshuffle.planner.flink;

/**
 * The cost of a keyed exchange in an hour.
 *
 * @param puts requests that write to the store
 * @param gets requests that read from it
 * @param crossingBytes bytes that Flink sends to another zone
 * @param crossingUsd these bytes
 * @param requestUsd the requests, and what the store bills for its bytes
 * @param storageUsd the bytes in the store
 * @param cpuUsd processors beyond those of Flink's own exchange
 */
public record HourlyCost(
        double puts,
        double gets,
        double crossingBytes,
        double crossingUsd,
        double requestUsd,
        double storageUsd,
        double cpuUsd) {
    /** Dollars of an hour. */
    public double total() {
        return crossingUsd + requestUsd + storageUsd + cpuUsd;
    }
}
