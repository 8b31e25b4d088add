package dev.blobshuffle.core.metrics;

/** What is timed in an instance, published as percentiles: {@link ShuffleMetrics#record}. */
public enum Latency {
    /** Recorded by {@code MeteredBlobStore}, for attempts that succeeded. */
    PUT_LATENCY("Time that the store took to write a blob"),
    /** As {@link #PUT_LATENCY}. */
    GET_LATENCY("Time that the store took to read a part of a blob"),
    /** Per batch: compression, upload, and the way through the channel. */
    SEAL_TO_DELIVERED_LATENCY("Time from the seal of a batch until the channel accepted its notifications"),
    /** Per segment: the channel's part of the last one. */
    NOTIFICATION_LATENCY("Time from the send of a notification until the channel accepted it"),
    /** Of one record per segment: what a reader adds. Time in which its partition is paused does not count. */
    HAND_OUT_LATENCY("Time from the arrival of a notification until its records were returned, including the "
            + "fetch, earlier records of the partition, and the reader"),
    /** What {@code batch.target.latency.ms} is about, as far as a writer can measure it; without it not recorded. */
    SHUFFLE_LATENCY("With a target latency, time from the append of a record until the channel accepted its "
            + "notification, plus the read time measured in this instance");

    private final String doc;

    Latency(String doc) {
        this.doc = doc;
    }

    String doc() {
        return doc;
    }
}
