package dev.blobshuffle.kafka;

import dev.blobshuffle.core.metrics.Metric;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/**
 * An engine's metrics in a registry of Kafka's kind, so that JMX (domain {@code blobshuffle}, type {@code blobshuffle-metrics}) and the application's own
 * {@code metric.reporters} show them. The engines of a process are told apart by the tag {@code instance}. Thread-safe.
 */
public final class KafkaMetricsBridge implements AutoCloseable {
    private static final String GROUP = "blobshuffle-metrics";
    private static final AtomicInteger INSTANCES = new AtomicInteger();

    private final Metrics registry;
    private final Map<MetricName, KafkaMetric> published;

    private KafkaMetricsBridge(Metrics registry, Map<MetricName, KafkaMetric> published) {
        this.registry = registry;
        this.published = published;
    }

    /**
     * Publishes an engine's metrics until the bridge is closed.
     *
     * @param clientSettings settings of a Kafka client: {@code metric.reporters} and what the reporters need
     */
    public static KafkaMetricsBridge open(ShuffleMetrics metrics, Map<String, ?> clientSettings) {
        MetricConfig config = new MetricConfig();
        Metrics registry =
                new Metrics(config, reporters(clientSettings), Time.SYSTEM, new KafkaMetricsContext("blobshuffle"));
        Map<String, String> tags = Map.of("instance", Integer.toString(INSTANCES.incrementAndGet()));
        for (Metric metric : ShuffleMetrics.all()) {
            MetricName name = registry.metricName(metric.name(), GROUP, metric.doc(), tags);
            registry.addMetric(name, (Gauge<Double>) (ignored, now) -> metrics.value(metric));
        }
        Map<MetricName, KafkaMetric> published = registry.metrics().entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(GROUP))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
        return new KafkaMetricsBridge(registry, published);
    }

    private static List<MetricsReporter> reporters(Map<String, ?> clientSettings) {
        // The producer's definition of these settings stands for all clients: they are the same in each.
        Map<String, Object> asProducer = new HashMap<>(clientSettings);
        asProducer
                .keySet()
                .retainAll(List.of(
                        CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
                        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
        asProducer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        asProducer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return new ProducerConfig(asProducer)
                .getConfiguredInstances(
                        CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
                        MetricsReporter.class,
                        Map.copyOf(nonNull(clientSettings)));
    }

    private static Map<String, Object> nonNull(Map<String, ?> settings) {
        Map<String, Object> result = new HashMap<>(settings);
        result.values().removeIf(value -> value == null);
        return result;
    }

    /** The metrics as a client's {@code metrics()} shows them. */
    public Map<MetricName, KafkaMetric> metrics() {
        return published;
    }

    /** Ends the publication. Idempotent. */
    @Override
    public void close() {
        registry.close();
    }
}
