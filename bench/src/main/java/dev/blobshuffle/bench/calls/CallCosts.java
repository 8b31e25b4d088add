package dev.blobshuffle.bench.calls;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaStreams;

/**
 * The costs up to a moment.
 *
 * @param application CPU time of this process: the application, the feed, the sink, and compilers
 * @param service CPU time of the service's process
 * @param calls that had ended; 0 without a parallel node
 * @param forwarded records whose results such a node had forwarded
 */
public record CallCosts(Duration application, Duration service, double calls, double forwarded) {
    private static final String GROUP = "stream-keyparallel-metrics";

    static CallCosts now(KafkaStreams streams, ProcessHandle service) {
        Map<MetricName, ? extends Metric> metrics = streams.metrics();
        return new CallCosts(
                cpu(ProcessHandle.current()),
                cpu(service),
                total(metrics, "calls-total"),
                total(metrics, "forwarded-total"));
    }

    private static Duration cpu(ProcessHandle process) {
        return process.info()
                .totalCpuDuration()
                .orElseThrow(() -> new IllegalStateException("Cannot measure the CPU time of process " + process.pid()
                        + ": it has ended, or this system does not say it."));
    }

    private static double total(Map<MetricName, ? extends Metric> metrics, String name) {
        return metrics.entrySet().stream()
                .filter(metric -> metric.getKey().group().equals(GROUP)
                        && metric.getKey().name().equals(name))
                .mapToDouble(metric -> ((Number) metric.getValue().metricValue()).doubleValue())
                .sum();
    }

    /** The costs since an earlier moment. */
    CallCosts since(CallCosts before) {
        return new CallCosts(
                application.minus(before.application),
                service.minus(before.service),
                calls - before.calls,
                forwarded - before.forwarded);
    }

    /** Records that share a call. */
    double recordsPerCall() {
        return calls == 0 ? 1 : forwarded / calls;
    }
}
