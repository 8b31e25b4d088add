package dev.blobshuffle.planner;

/** Simulated latencies of records. Owned by one thread. */
interface Forecast {
    /** The latencies of records. */
    Latencies latencies();

    /** Average seconds of a commit; 0 without commits. */
    double commitWait();

    /** Number of commits. */
    int commits();
}
