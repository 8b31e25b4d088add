package dev.blobshuffle.planner.spark;

/**
 * The cost of one shuffle in one way of shuffling.
 *
 * @param puts requests that write to the store
 * @param gets requests that read from it
 * @param crossingBytes bytes from an executor to one in another zone
 * @param requestUsd the requests, and what the store bills for its bytes
 * @param crossingUsd the bytes between zones
 * @param mapsAgain maps that run again if one executor is lost after the maps
 */
public record ShuffleCost(
        double puts, double gets, double crossingBytes, double requestUsd, double crossingUsd, long mapsAgain) {
    /** Dollars of one shuffle. */
    public double total() {
        return requestUsd + crossingUsd;
    }
}
