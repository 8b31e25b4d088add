package dev.blobshuffle.core.internal.metrics;

import dev.blobshuffle.core.internal.metrics.Metric.Kind;
import dev.blobshuffle.core.internal.metrics.Metric.Unit;
import java.util.Locale;

/**
 * The metrics that a node of key-parallel processing reports for one task. Totals count from the
 * opening of the task. The metrics are defined here, not with the nodes, so that tools and the
 * reference need no Kafka Streams.
 */
public enum KeyParallelMetric {
    /** Bounded by the setting {@code max.pending.records}. */
    PENDING_RECORDS(Kind.GAUGE, Unit.RECORDS, "Records whose results are not forwarded yet."),
    /** Bounded by the setting {@code max.pending.bytes}. */
    PENDING_BYTES(Kind.GAUGE, Unit.BYTES, "Bytes of the pending records: keys, values and a fixed overhead."),
    /** 0 if no record is pending. */
    OLDEST_PENDING(Kind.GAUGE, Unit.MILLISECONDS, "Time since the oldest pending record arrived."),
    /** A part of the pending records. */
    WAITING_RECORDS(Kind.GAUGE, Unit.RECORDS, "Records whose calls have not started."),
    /** At most the concurrency limit. */
    RUNNING_CALLS(Kind.GAUGE, Unit.OCCURRENCES, "Calls that are running."),
    /** The setting {@code max.concurrency}, or the current choice within it. */
    CONCURRENCY_LIMIT(Kind.GAUGE, Unit.OCCURRENCES, "Calls that may run at a time now."),
    /** In strict order, few keys mean few calls at a time. */
    ACTIVE_KEYS(Kind.GAUGE, Unit.OCCURRENCES, "Keys that have pending records."),
    /** Exactly one of this gauge and the next three is 1. */
    LIMITED_BY_INPUT(Kind.GAUGE, Unit.OCCURRENCES, "1 while the arrival of records limits the rate, else 0."),
    /** See {@link #LIMITED_BY_INPUT}. */
    LIMITED_BY_KEY_ORDER(Kind.GAUGE, Unit.OCCURRENCES, "1 while the order per key limits the rate, else 0."),
    /** See {@link #LIMITED_BY_INPUT}. */
    LIMITED_BY_CONCURRENCY(Kind.GAUGE, Unit.OCCURRENCES, "1 while the concurrency limit limits the rate, else 0."),
    /** See {@link #LIMITED_BY_INPUT}. */
    LIMITED_BY_BUDGET(
            Kind.GAUGE, Unit.OCCURRENCES, "1 while the limits of pending records and bytes limit the rate, else 0."),
    /** Includes failed calls. */
    CALLS(Kind.COUNTER, Unit.OCCURRENCES, "Calls that ended."),
    /** Divided by the number of calls, this is the mean latency. */
    CALL_TIME(Kind.COUNTER, Unit.MILLISECONDS, "Time that calls took, as a sum over all calls."),
    /** Each attempt counts. */
    TIMED_OUT(Kind.COUNTER, Unit.OCCURRENCES, "Calls that exceeded their timeout."),
    /** Each repetition counts. */
    RETRIED(Kind.COUNTER, Unit.OCCURRENCES, "Failed calls that were repeated."),
    /** A record may have several results, or none. */
    FORWARDED(Kind.COUNTER, Unit.RECORDS, "Records whose results were forwarded."),
    /** After the last retry. */
    FAILED(Kind.COUNTER, Unit.RECORDS, "Records whose calls failed for good."),
    /** A part of the failed records. */
    SKIPPED(Kind.COUNTER, Unit.RECORDS, "Failed records that were skipped."),
    /** 0 with a checkpoint. */
    DRAINS(Kind.COUNTER, Unit.OCCURRENCES, "Commits that waited for calls."),
    /** 0 with a checkpoint. */
    DRAIN_TIME(Kind.COUNTER, Unit.MILLISECONDS, "Time for which commits waited for calls."),
    /** The stream thread waits, so the consumer pauses. */
    BLOCKED_TIME(Kind.COUNTER, Unit.MILLISECONDS, "Time for which records waited for space."),
    /** 0 without a checkpoint. */
    STORED(Kind.COUNTER, Unit.RECORDS, "Pending records that a checkpoint stored at a commit."),
    /** 0 without a checkpoint. */
    RECOVERED(Kind.COUNTER, Unit.RECORDS, "Records of a checkpoint that were resumed when the task was opened.");

    private static final String PREFIX = "keyparallel-";

    private final String word;
    private final Metric metric;

    KeyParallelMetric(Kind kind, Unit unit, String doc) {
        word = name().toLowerCase(Locale.ROOT).replace('_', '-');
        metric = new Metric(PREFIX + word, kind, unit, doc);
    }

    /**
     * The metric's description. Its name has a prefix to distinguish it from the engines' metrics.
     */
    public Metric metric() {
        return metric;
    }

    /**
     * The metric's name in its own group of Kafka Streams' metrics: without the prefix, but with
     * the unit for a time, and {@code total} for a counter.
     */
    public String kafkaName() {
        return word
                + (metric.unit() == Unit.MILLISECONDS ? "-ms" : "")
                + (metric.kind() == Kind.COUNTER ? "-total" : "");
    }
}
