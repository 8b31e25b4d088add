package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;

/**
 * The gauges of an instance. Each value is the sum of the reports of the instance's parts: {@link
 * ShuffleMetrics#report}.
 */
public enum Gauge {
    /**
     * Lets a reader compute rates from a single sample of the counters. Reported by
     * {@link ShuffleMetrics} itself.
     */
    UPTIME(Unit.MILLISECONDS, "Time since the counters started at 0."),
    /** The last choice for any batch, like the next two gauges; 0 without a target latency. */
    CHOSEN_BATCH_BYTES(Unit.BYTES, "With a target latency, the blob size chosen for it."),
    /** As {@link #CHOSEN_BATCH_BYTES}. */
    CHOSEN_BATCH_DELAY(Unit.MILLISECONDS, "With a target latency, the batch delay chosen for it."),
    /** As {@link #CHOSEN_BATCH_DELAY}. */
    PREDICTED_LATENCY_P95(
            Unit.MILLISECONDS,
            "With a target latency, the predicted 95th percentile of the time from append to read for "
                    + "the chosen size and delay."),
    /** The engine then uses the best sensible choice, which costs more. */
    TARGET_LATENCY_UNREACHABLE(
            Unit.OCCURRENCES, "1 while no size and delay is predicted to meet the target latency, else 0."),
    /** Bytes being filled, sealed, compressed, uploaded, or awaiting delivery. */
    WRITE_BUFFER_USED(Unit.BYTES, "Bytes of the write buffer that are in use."),
    /** The log and {@code blobshuffle status} have the reason. */
    COMBINING(Unit.OCCURRENCES, "1 while this instance hands small blobs to a hub of its zone, else 0."),
    /** Received, waiting for others, or being stored. */
    COMBINE_BUFFER_USED(Unit.BYTES, "Bytes of other instances' blobs that this hub holds."),
    /** Fetched or being fetched. */
    READ_BUFFER_USED(Unit.BYTES, "Bytes of the read buffer that are in use."),
    /**
     * A lag in channel offsets does not show this, because one notification stands for many
     * records.
     */
    LAG_RECORDS(Unit.RECORDS, "Records that have been notified and not yet returned to the reader."),
    /** Requests sent that were neither answered nor timed out. */
    STORE_REQUESTS_IN_FLIGHT(Unit.REQUESTS, "Requests to the store that are in flight, excluding hedges."),
    /**
     * The limiter bounds the requests in flight, and lowers the bound while the store throttles.
     */
    STORE_REQUESTS_WAITING(Unit.REQUESTS, "Requests to the store that are queued by the concurrency limit."),
    /** Puts and gets have a circuit each. */
    STORE_CIRCUITS_OPEN(Unit.OCCURRENCES, "Kinds of requests, puts and gets, for which the store is currently down."),
    /** Its last blob was not stored there. Notifications wait for the durable store. */
    FAST_STORE_DOWN(Unit.OCCURRENCES, "1 while the fast store of two speeds does not store blobs, else 0."),
    /** The counters of requests count those to the durable store only, like the costs. */
    FAST_PUTS(Kind.COUNTER, Unit.REQUESTS, "Puts sent to the fast store of two speeds, including retries and hedges."),
    /** As {@link #FAST_PUTS}. */
    FAST_GETS(Kind.COUNTER, Unit.REQUESTS, "Gets sent to the fast store of two speeds, including hedges."),
    /** Entries, and parts that are being loaded. */
    CACHE_MEMORY_USED(Unit.BYTES, "Bytes that the cache in memory uses."),
    /** All directories together. */
    CACHE_DISK_USED(Unit.BYTES, "Bytes that the cache on disk uses."),
    /** Computed from the counters by {@code core.pricing.LiveCost}. */
    STORE_COST(
            Kind.COUNTER,
            Unit.MICRODOLLARS,
            "List price of the requests to the store and of charged transfer since the start. 0 for "
                    + "stores without a price list. Excludes the price of stored bytes."),
    /** As {@link #STORE_COST}. */
    NATIVE_COST(
            Kind.COUNTER,
            Unit.MICRODOLLARS,
            "List price of the cross-zone traffic that the same records would have caused natively "
                    + "since the start, with three replicas in three zones."),
    /** One instance of a group has the turn at a time. */
    SWEEP_TURN(Unit.OCCURRENCES, "1 if this instance sweeps the store for its group, else 0."),
    /**
     * Taken from the listing of the last sweep. This and the gauges below are 0 if this instance
     * does not sweep.
     */
    STORED_BLOBS(Unit.BLOBS, "Blobs that were in the store when this instance listed it for its last sweep."),
    /** The number of blobs times the average size of a sample. */
    STORED_BYTES(Unit.BYTES, "Estimated bytes of the stored blobs, from the average size of a sample."),
    /** As {@link #STORED_BLOBS}. */
    NEEDED_BLOBS(Unit.BLOBS, "Blobs of the last sweep that notifications referenced."),
    /** These blobs are deleted when they are old enough. */
    SPARED_BLOBS(
            Unit.BLOBS,
            "Blobs of the last sweep that no reader needs and that stay because they are younger than "
                    + "`blobshuffle.retention.floor.ms`."),
    /** The application's log names the partitions and the reasons. */
    UNSETTLED_BLOBS(
            Unit.BLOBS,
            "Blobs of the last sweep that were kept because notifications may still appear in the log of a partition: "
                    + "it has no leader, a replica is not in sync, or its leader changed."),
    /** The application's log names the notification. */
    OLDEST_NEEDED_AGE(Unit.MILLISECONDS, "Age of the oldest needed blob, by the clock of its writer."),
    /** If this exceeds two or three intervals, retention has stopped. */
    LAST_SWEEP_AGE(Unit.MILLISECONDS, "Time since the last sweep that this instance finished."),
    /** The log and the poll name the reason after 30 s. */
    LOG_STAGED_AGE(
            Unit.MILLISECONDS,
            "How long the batches that have waited longest for their place in a commit log wait already, over "
                    + "the topics that this instance reads. More than a second means that no member can put them in "
                    + "order."),
    /** Only messaging has a commit log. */
    LOG_UNANSWERED_AGE(
            Unit.MILLISECONDS,
            "How long the commit log has not answered this instance: the time since the begin of the first of its "
                    + "consecutive failed calls, 0 after an answer.");

    private final Metric metric;

    Gauge(Unit unit, String doc) {
        this(Kind.GAUGE, unit, doc);
    }

    /**
     * @param kind {@link Kind#COUNTER} for values computed from counters, which only increase
     */
    Gauge(Kind kind, Unit unit, String doc) {
        metric = new Metric(ShuffleMetrics.nameOf(this), kind, unit, doc);
    }

    /** The published metric of the gauge. */
    public Metric metric() {
        return metric;
    }
}
