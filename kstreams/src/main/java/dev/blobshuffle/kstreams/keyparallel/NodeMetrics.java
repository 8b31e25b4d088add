package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.kstreams.internal.calls.LimitReason;
import dev.blobshuffle.kstreams.internal.calls.ParallelCalls;
import dev.blobshuffle.kstreams.internal.calls.Tally;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.api.ProcessingContext;

/**
 * The metrics of one node in one task, among those of Kafka Streams:
 * {@code stream-keyparallel-metrics}, by task and name. Everything is counted since the task was
 * opened. Owned by the stream thread; read by any.
 */
final class NodeMetrics implements AutoCloseable {
    static final String GROUP = "stream-keyparallel-metrics";

    /** All names, for the guide. */
    static final List<String> NAMES = List.of(
            "pending-records",
            "pending-bytes",
            "oldest-pending-ms",
            "waiting-records",
            "running-calls",
            "concurrency-limit",
            "active-keys",
            "limited-by-input",
            "limited-by-key-order",
            "limited-by-concurrency",
            "limited-by-budget",
            "calls-total",
            "call-time-ms-total",
            "timed-out-total",
            "retried-total",
            "forwarded-total",
            "failed-total",
            "skipped-total",
            "drains-total",
            "drain-time-ms-total",
            "blocked-time-ms-total",
            "stored-total",
            "recovered-total");

    private static final double NANOS_PER_MILLI = 1e6;

    private final StreamsMetrics metrics;
    private final Map<String, String> tags;
    private final Sensor sensor;
    private final ParallelCalls<?, ?> calls;

    NodeMetrics(ProcessingContext context, String name, ParallelCalls<?, ?> calls) {
        this.calls = calls;
        metrics = context.metrics();
        tags = Map.of("task-id", context.taskId().toString(), "name", name);
        sensor = metrics.addSensor("keyparallel-" + context.taskId() + "-" + name, Sensor.RecordingLevel.INFO);
        Tally tally = calls.tally();
        gauge("pending-records", "Records whose results are not handed on.", standing -> standing.pending());
        gauge("pending-bytes", "Bytes of keys and values of these.", standing -> standing.bytes());
        total(
                "oldest-pending-ms",
                "Time since the oldest of these came.",
                () -> calls.oldestAge().toMillis());
        gauge("waiting-records", "Records whose calls have not started.", standing -> standing.waiting());
        gauge("running-calls", "Calls under way.", standing -> standing.running());
        total("concurrency-limit", "Calls that may be under way now.", calls::maxConcurrency);
        gauge("active-keys", "Keys that have records pending.", standing -> standing.keys());
        for (LimitReason reason : LimitReason.values()) {
            gauge(
                    "limited-by-" + reason.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    "1 if this is what keeps more records from being done now, else 0.",
                    standing -> standing.reason() == reason ? 1 : 0);
        }
        total("calls-total", "Calls that ended.", tally.calls::sum);
        total(
                "call-time-ms-total",
                "Time that calls took, one after the other.",
                () -> tally.callNanos.sum() / NANOS_PER_MILLI);
        total("timed-out-total", "Calls that did not end in their time.", tally.timedOut::sum);
        total("retried-total", "Failed calls that were repeated.", tally.retried::sum);
        total("forwarded-total", "Records whose results were handed on.", tally.forwarded::sum);
        total("failed-total", "Records whose calls failed for good.", tally.failed::sum);
        total("skipped-total", "Records among these that were skipped.", tally.skipped::sum);
        total("drains-total", "Commits that had to wait for calls.", tally.drains::sum);
        total(
                "drain-time-ms-total",
                "Time that commits waited for calls.",
                () -> tally.drainNanos.sum() / NANOS_PER_MILLI);
        total(
                "blocked-time-ms-total",
                "Time that records waited for room.",
                () -> tally.blockedNanos.sum() / NANOS_PER_MILLI);
        total("stored-total", "Records that were pending at a commit and stored.", tally.stored::sum);
        total("recovered-total", "Records of the last commit's store that were taken up again.", tally.recovered::sum);
    }

    private void gauge(String name, String doc, ToDoubleFunction<ParallelCalls.Standing> value) {
        total(name, doc, () -> value.applyAsDouble(calls.standing()));
    }

    private void total(String name, String doc, Reading reading) {
        boolean ignored = sensor.add(new MetricName(name, GROUP, doc, tags), new ReadStat(reading));
    }

    @Override
    public void close() {
        metrics.removeSensor(sensor);
    }

    /** Gives a number. */
    @FunctionalInterface
    private interface Reading {
        double now();
    }

    /** A number that is read, not recorded. */
    private record ReadStat(Reading reading) implements MeasurableStat {
        @Override
        public void record(MetricConfig config, double value, long timeMs) {
            // Nobody records.
        }

        @Override
        public double measure(MetricConfig config, long now) {
            return reading.now();
        }
    }
}
