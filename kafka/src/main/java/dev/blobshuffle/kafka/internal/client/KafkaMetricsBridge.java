package dev.blobshuffle.kafka.internal.client;

import dev.blobshuffle.core.internal.instance.RunningInstance;
import dev.blobshuffle.core.internal.instance.RunningInstances;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Flow;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.Metric;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.core.internal.metrics.PayloadFlows;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;

/**
 * Publishes an engine's metrics as Kafka metrics. They appear in JMX (domain {@code blobshuffle},
 * type {@code blobshuffle-metrics}; {@code blobshuffle-zone-metrics} by zone), in the application's
 * own {@code metric.reporters}, and at a Prometheus endpoint if the settings ask for one. The tag
 * {@code instance} distinguishes the engines of a process; in Prometheus it is the label
 * {@code engine}. Thread-safe.
 */
public final class KafkaMetricsBridge implements AutoCloseable {
    private static final String GROUP = "blobshuffle-metrics";
    /** A group of its own, because its names have more tags. */
    private static final String FLOW_GROUP = "blobshuffle-zone-metrics";

    private final Metrics registry;
    private final ShuffleMetrics.Registration flows;
    private final Map<MetricName, KafkaMetric> published;
    private final Optional<MetricsEndpoint.Publication> endpoint;
    private final LabelledMetrics labelled;

    private KafkaMetricsBridge(
            Metrics registry,
            ShuffleMetrics.Registration flows,
            Map<MetricName, KafkaMetric> published,
            Optional<MetricsEndpoint.Publication> endpoint,
            LabelledMetrics labelled) {
        this.registry = registry;
        this.flows = flows;
        this.published = published;
        this.endpoint = endpoint;
        this.labelled = labelled;
    }

    /**
     * Publishes an instance's metrics until the instance closes, and adds the instance to the list
     * of running ones.
     *
     * @param settings the endpoint, if there is one, and the zone
     * @param clientSettings as for {@link #open}
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the endpoint cannot
     *     listen at the address in the settings
     */
    public static KafkaMetricsBridge attach(
            ShuffleInstance instance, Settings settings, Map<String, ?> clientSettings) {
        KafkaMetricsBridge bridge = instance.attach(() -> open(instance.engine().metrics(), settings, clientSettings));
        ShuffleMetrics.Registration ignored =
                instance.attach(() -> RunningInstances.add(RunningInstance.of(instance, bridge.labelled)));
        return bridge;
    }

    /**
     * Publishes an engine's metrics until the bridge is closed.
     *
     * @param settings the endpoint, if there is one, and the zone
     * @param clientSettings settings of a Kafka client or application: its name,
     *     {@code metric.reporters} and what the reporters need
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the endpoint cannot
     *     listen at the address in the settings
     */
    public static KafkaMetricsBridge open(ShuffleMetrics metrics, Settings settings, Map<String, ?> clientSettings) {
        String number = Integer.toString(RunningInstances.nextNumber());
        LabelledMetrics labelled = labelled(metrics, number, settings.zone(), clientSettings);
        Optional<MetricsEndpoint.Publication> endpoint =
                settings.value(MetricsSettings.LISTEN).map(listen -> MetricsEndpoint.publish(listen, labelled));
        try {
            return registered(labelled, number, clientSettings, endpoint);
        } catch (RuntimeException | Error e) {
            endpoint.ifPresent(MetricsEndpoint.Publication::close);
            throw e;
        }
    }

    private static KafkaMetricsBridge registered(
            LabelledMetrics labelled,
            String number,
            Map<String, ?> clientSettings,
            Optional<MetricsEndpoint.Publication> endpoint) {
        ShuffleMetrics metrics = labelled.metrics();
        MetricConfig config = new MetricConfig();
        Metrics registry =
                new Metrics(config, reporters(clientSettings), Time.SYSTEM, new KafkaMetricsContext("blobshuffle"));
        Map<String, String> tags = Map.of("instance", number);
        for (Metric metric : metrics.metrics()) {
            MetricName name = registry.metricName(metric.name(), GROUP, metric.doc(), tags);
            registry.addMetric(name, (Gauge<Double>) (ignored, now) -> metrics.value(metric));
        }
        Map<MetricName, KafkaMetric> published = registry.metrics().entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(GROUP))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
        ShuffleMetrics.Registration flows = metrics.flows().watch(flow -> register(flow, number, metrics, registry));
        return new KafkaMetricsBridge(registry, flows, published, endpoint, labelled);
    }

    /** Zones become known over time. */
    private static void register(Flow flow, String number, ShuffleMetrics metrics, Metrics registry) {
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put("instance", number);
        tags.put("from", flow.from());
        tags.put("to", flow.to());
        Metric metric = PayloadFlows.METRIC;
        registry.addMetric(registry.metricName(metric.name(), FLOW_GROUP, metric.doc(), tags), (Gauge<Double>)
                (ignored, now) -> (double) metrics.flows().value(flow));
    }

    /** Not {@code instance}, because Prometheus uses that label for the process that it scrapes. */
    private static LabelledMetrics labelled(
            ShuffleMetrics metrics, String number, Zone zone, Map<String, ?> clientSettings) {
        Optional<String> application = text(clientSettings, "application.id")
                .or(() -> text(clientSettings, CommonClientConfigs.GROUP_ID_CONFIG));
        return LabelledMetrics.alone(metrics)
                .with("application", application)
                .with("client", text(clientSettings, CommonClientConfigs.CLIENT_ID_CONFIG))
                .with("engine", Optional.of(number))
                .with("zone", Optional.of(zone.name()));
    }

    private static Optional<String> text(Map<String, ?> settings, String name) {
        return Optional.ofNullable(settings.get(name)).map(Object::toString).filter(text -> !text.isBlank());
    }

    private static List<MetricsReporter> reporters(Map<String, ?> clientSettings) {
        // The producer's definition of these settings serves for all clients, because they share
        // it.
        Map<String, Object> asProducer = new HashMap<>(clientSettings);
        asProducer
                .keySet()
                .retainAll(List.of(
                        CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
                        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
        asProducer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        asProducer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        Map<String, Object> all = Map.copyOf(nonNull(clientSettings));
        List<MetricsReporter> reporters = new ProducerConfig(asProducer)
                .getConfiguredInstances(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, MetricsReporter.class, all);
        return KafkaVersion.HAS_NEXT_OFFSETS ? reporters : withJmx(reporters, all);
    }

    /**
     * Adds the JMX reporter, as Kafka 3.9 does. Since 4.0 the reporter is in the setting's default.
     */
    private static List<MetricsReporter> withJmx(List<MetricsReporter> named, Map<String, Object> settings) {
        boolean isOff = "false".equals(String.valueOf(settings.get("auto.include.jmx.reporter")));
        if (isOff || named.stream().anyMatch(JmxReporter.class::isInstance)) {
            return named;
        }
        JmxReporter jmx = new JmxReporter();
        jmx.configure(settings);
        List<MetricsReporter> reporters = new ArrayList<>(named);
        reporters.add(jmx);
        return reporters;
    }

    private static Map<String, Object> nonNull(Map<String, ?> settings) {
        Map<String, Object> result = new HashMap<>(settings);
        result.values().removeIf(value -> value == null);
        return result;
    }

    /**
     * The metrics for a client's {@code metrics()}. Without the metrics by zone, which change over
     * time.
     */
    public Map<MetricName, KafkaMetric> metrics() {
        return published;
    }

    /** The address for Prometheus; empty if the settings have none. */
    Optional<Endpoint> endpoint() {
        return endpoint.map(MetricsEndpoint.Publication::address);
    }

    /** Stops publishing. Idempotent. */
    @Override
    public void close() {
        endpoint.ifPresent(MetricsEndpoint.Publication::close);
        flows.close();
        registry.close();
    }
}
