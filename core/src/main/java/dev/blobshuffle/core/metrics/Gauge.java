package dev.blobshuffle.core.metrics;

import dev.blobshuffle.core.metrics.Metric.Kind;
import dev.blobshuffle.core.metrics.Metric.Unit;

/** The present state of an instance, as the sum of what its parts report: {@link ShuffleMetrics#report}. */
public enum Gauge {
    /** So that whoever sees the counters once knows their rates; reported by {@link ShuffleMetrics} itself. */
    UPTIME(Unit.MILLISECONDS, "Time since the counters started at 0."),
    /** Of the last choice of any batch, as the next two; 0 without a target latency. */
    CHOSEN_BATCH_BYTES(Unit.BYTES, "With a target latency, the blob size chosen for it."),
    /** As {@link #CHOSEN_BATCH_BYTES}. */
    CHOSEN_BATCH_DELAY(Unit.MILLISECONDS, "With a target latency, the batch delay chosen for it."),
    /** As {@link #CHOSEN_BATCH_DELAY}. */
    PREDICTED_LATENCY_P95(
            Unit.MILLISECONDS,
            "With a target latency, the predicted 95th percentile of the time from append to read for "
                    + "the chosen size and delay."),
    /** The best that is sensible is done, and costs more. */
    TARGET_LATENCY_UNREACHABLE(
            Unit.OCCURRENCES, "1 while no size and delay is predicted to meet the target latency, else 0."),
    /** Filling, sealed, being compressed, uploaded or awaiting delivery. */
    WRITE_BUFFER_USED(Unit.BYTES, "Bytes of the write buffer that are in use."),
    /** Fetched or being fetched. */
    READ_BUFFER_USED(Unit.BYTES, "Bytes of the read buffer that are in use."),
    /** What a lag in channel offsets hides: one notification stands for many records. */
    LAG_RECORDS(Unit.RECORDS, "Records that have been notified and not yet returned to the reader."),
    /** Sent and not answered, nor given up for their time. */
    STORE_REQUESTS_IN_FLIGHT(Unit.REQUESTS, "Requests to the store that are in flight, excluding hedges."),
    /** The store takes a bounded number at a time, fewer while it throttles. */
    STORE_REQUESTS_WAITING(Unit.REQUESTS, "Requests to the store that are queued by the concurrency limit."),
    /** One for puts, one for gets. */
    STORE_CIRCUITS_OPEN(Unit.OCCURRENCES, "Kinds of requests, puts and gets, for which the store is currently down."),
    /** Entries, and what is being loaded. */
    CACHE_MEMORY_USED(Unit.BYTES, "Bytes that the cache in memory uses."),
    /** All directories together. */
    CACHE_DISK_USED(Unit.BYTES, "Bytes that the cache on disk uses."),
    /** Priced as they are counted: {@code core.pricing.LiveCost}. */
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
    /** One instance of a group has the turn. */
    SWEEP_TURN(Unit.OCCURRENCES, "1 if this instance sweeps the store for its group, else 0."),
    /** By the listing of the last sweep; 0 where this instance does not sweep, as the gauges below. */
    STORED_BLOBS(Unit.BLOBS, "Blobs that were in the store when this instance listed it for its last sweep."),
    /** Their number times the average of some. */
    STORED_BYTES(Unit.BYTES, "Estimated bytes of the stored blobs, from the average size of a sample."),
    /** As {@link #STORED_BLOBS}. */
    NEEDED_BLOBS(Unit.BLOBS, "Blobs of the last sweep that notifications referenced."),
    /** The log says by which notification. */
    OLDEST_NEEDED_AGE(Unit.MILLISECONDS, "Age of the oldest needed blob, by the clock of its writer."),
    /** Above two or three intervals, retention stands still. */
    LAST_SWEEP_AGE(Unit.MILLISECONDS, "Time since the last sweep that this instance finished.");

    private final Metric metric;

    Gauge(Unit unit, String doc) {
        this(Kind.GAUGE, unit, doc);
    }

    /** @param kind {@link Kind#COUNTER} for what is computed from counters, and so only rises */
    Gauge(Kind kind, Unit unit, String doc) {
        metric = new Metric(ShuffleMetrics.nameOf(this), kind, unit, doc);
    }

    /** The gauge as it is published. */
    public Metric metric() {
        return metric;
    }
}
