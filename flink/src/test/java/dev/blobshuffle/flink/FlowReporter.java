package dev.blobshuffle.flink;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Sums the counters of all tasks of this process, those of tasks that have ended too. */
public final class FlowReporter implements MetricReporter {
    private static final List<Counter> NATIVE = new CopyOnWriteArrayList<>();
    private static final List<Counter> BLOBS = new CopyOnWriteArrayList<>();

    /** Flink finds it in META-INF/services. */
    public static final class Factory implements MetricReporterFactory {
        @Override
        public MetricReporter createMetricReporter(Properties properties) {
            return new FlowReporter();
        }
    }

    static void reset() {
        NATIVE.clear();
        BLOBS.clear();
    }

    static long nativeBytes() {
        return NATIVE.stream().mapToLong(Counter::getCount).sum();
    }

    static long blobBytes() {
        return BLOBS.stream().mapToLong(Counter::getCount).sum();
    }

    @Override
    public void open(MetricConfig config) {
        // Nothing is set.
    }

    @Override
    public void close() {
        // The counters stay.
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        if (metric instanceof Counter counter) {
            if (name.equals("nativeBytes")) {
                NATIVE.add(counter);
            } else if (name.equals("blobBytes")) {
                BLOBS.add(counter);
            }
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        // The counters stay.
    }
}
