package dev.blobshuffle.core.internal.metrics;

/** The latencies of an instance, published as percentiles: {@link ShuffleMetrics#record}. */
public enum Latency {
    /** Recorded by {@code MeteredBlobStore} for successful attempts. */
    PUT_LATENCY("Time that the store took to write a blob"),
    /** Per blob, with all attempts; recorded by {@code TwoSpeedBlobStore}. */
    FAST_PUT_LATENCY("Time that the fast store of two speeds took to write a blob"),
    /** As {@link #PUT_LATENCY}. */
    GET_LATENCY("Time that the store took to read a part of a blob"),
    /** Per batch: compression, upload, and delivery through the channel. */
    SEAL_TO_DELIVERED_LATENCY("Time from the seal of a batch until the channel accepted its notifications"),
    /** Per segment: the channel's part of the previous latency. */
    NOTIFICATION_LATENCY("Time from the send of a notification until the channel accepted it"),
    /**
     * The latency that the reader adds, for one record per segment. Time during which its partition
     * is paused does not count.
     */
    HAND_OUT_LATENCY("Time from the arrival of a notification until its records were returned, including the "
            + "fetch, earlier records of the partition, and the reader"),
    /**
     * The latency that {@code batch.target.latency.ms} bounds, as far as a writer can measure it.
     * Recorded only with that setting.
     */
    SHUFFLE_LATENCY("With a target latency, time from the append of a record until the channel accepted its "
            + "notification, plus the read time measured in this instance");

    private final String doc;

    Latency(String doc) {
        this.doc = doc;
    }

    /** Describes the latency for operators, as a sentence without its full stop. */
    public String doc() {
        return doc;
    }
}
