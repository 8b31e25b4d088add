package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.internal.metrics.KeyParallelMetric;
import dev.blobshuffle.core.internal.metrics.LabelledNumbers;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.kstreams.internal.calls.LimitReason;
import dev.blobshuffle.kstreams.internal.calls.ParallelCalls;
import dev.blobshuffle.kstreams.internal.calls.Tally;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.api.ProcessingContext;

/**
 * The {@linkplain KeyParallelMetric metrics} of one node in one task. They are part of Kafka
 * Streams' metrics ({@code stream-keyparallel-metrics}, by task and name), and of the Prometheus
 * endpoint if the application's settings ask for one. Owned by the stream thread; any thread may
 * read them.
 */
final class NodeMetrics implements AutoCloseable {
    static final String GROUP = "stream-keyparallel-metrics";

    /** The names of all metrics in Kafka Streams, for the guide. */
    static final List<String> NAMES = Arrays.stream(KeyParallelMetric.values())
            .map(KeyParallelMetric::kafkaName)
            .toList();

    private static final double NANOS_PER_MILLI = 1e6;

    private final StreamsMetrics metrics;
    private final Sensor sensor;
    private final Optional<MetricsEndpoint.Publication> endpoint;

    /**
     * Publishes the metrics until it is closed.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the endpoint cannot
     *     listen at the address in the application's settings
     */
    NodeMetrics(ProcessingContext context, String name, ParallelCalls<?, ?> calls) {
        metrics = context.metrics();
        String task = context.taskId().toString();
        sensor = metrics.addSensor("keyparallel-" + task + "-" + name, Sensor.RecordingLevel.INFO);
        try {
            register(Map.of("task-id", task, "name", name), calls);
            endpoint = MetricsSettings.listen(context.appConfigs())
                    .map(listen ->
                            MetricsEndpoint.publish(listen, labelled(context.applicationId(), name, task, calls)));
        } catch (RuntimeException e) {
            metrics.removeSensor(sensor);
            throw e;
        }
    }

    private void register(Map<String, String> tags, ParallelCalls<?, ?> calls) {
        for (KeyParallelMetric metric : KeyParallelMetric.values()) {
            MetricName name =
                    new MetricName(metric.kafkaName(), GROUP, metric.metric().doc(), tags);
            boolean ignored = sensor.add(name, new ReadStat(reading(metric, calls)));
        }
    }

    private static LabelledNumbers labelled(String application, String node, String task, ParallelCalls<?, ?> calls) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("application", application);
        labels.put("node", node);
        labels.put("task", task);
        Map<Metric, DoubleSupplier> numbers = new LinkedHashMap<>();
        for (KeyParallelMetric metric : KeyParallelMetric.values()) {
            numbers.put(metric.metric(), reading(metric, calls));
        }
        return new LabelledNumbers(labels, numbers);
    }

    /** The current value of a metric, in its unit. */
    private static DoubleSupplier reading(KeyParallelMetric metric, ParallelCalls<?, ?> calls) {
        Tally tally = calls.tally();
        return switch (metric) {
            case PENDING_RECORDS -> () -> calls.standing().pending();
            case PENDING_BYTES -> () -> calls.standing().bytes();
            case OLDEST_PENDING -> () -> calls.oldestAge().toMillis();
            case WAITING_RECORDS -> () -> calls.standing().waiting();
            case RUNNING_CALLS -> () -> calls.standing().running();
            case CONCURRENCY_LIMIT -> calls::maxConcurrency;
            case ACTIVE_KEYS -> () -> calls.standing().keys();
            case LIMITED_BY_INPUT -> limitedBy(LimitReason.INPUT, calls);
            case LIMITED_BY_KEY_ORDER -> limitedBy(LimitReason.KEY_ORDER, calls);
            case LIMITED_BY_CONCURRENCY -> limitedBy(LimitReason.CONCURRENCY, calls);
            case LIMITED_BY_BUDGET -> limitedBy(LimitReason.BUDGET, calls);
            case CALLS -> tally.calls::sum;
            case CALL_TIME -> millis(tally.callNanos);
            case TIMED_OUT -> tally.timedOut::sum;
            case RETRIED -> tally.retried::sum;
            case FORWARDED -> tally.forwarded::sum;
            case FAILED -> tally.failed::sum;
            case SKIPPED -> tally.skipped::sum;
            case DRAINS -> tally.drains::sum;
            case DRAIN_TIME -> millis(tally.drainNanos);
            case BLOCKED_TIME -> millis(tally.blockedNanos);
            case STORED -> tally.stored::sum;
            case RECOVERED -> tally.recovered::sum;
        };
    }

    private static DoubleSupplier limitedBy(LimitReason reason, ParallelCalls<?, ?> calls) {
        return () -> calls.standing().reason() == reason ? 1 : 0;
    }

    private static DoubleSupplier millis(LongAdder nanos) {
        return () -> nanos.sum() / NANOS_PER_MILLI;
    }

    @Override
    public void close() {
        endpoint.ifPresent(MetricsEndpoint.Publication::close);
        metrics.removeSensor(sensor);
    }

    /** A value that is read on demand and never recorded. */
    private record ReadStat(DoubleSupplier reading) implements MeasurableStat {
        @Override
        public void record(MetricConfig config, double value, long timeMs) {
            // Nothing to record.
        }

        @Override
        public double measure(MetricConfig config, long now) {
            return reading.getAsDouble();
        }
    }
}
