package dev.blobshuffle.kafka.internal.client;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MetricValueProvider;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.metrics.Sensor;

/**
 * Passes the cluster's id ({@link ClusterResourceListener}) and, since Kafka 4.1, a place for
 * metrics ({@link Monitorable}) on to the application's plug-ins. A client of Kafka gives both to
 * its own plug-ins. The wrapper makes those of the application, so the real client only knows the
 * serializer or deserializer that has this relay. Thread-safe if the plug-ins are.
 */
public final class PluginRelay {
    /** Since Kafka 4.1. */
    public static final boolean HAS_METRICS =
            PluginRelay.class.getResource("/org/apache/kafka/common/metrics/Monitorable.class") != null;

    private final Map<Object, String> plugins;

    /** @param plugins of the application, with the settings that name them */
    public PluginRelay(Map<Object, String> plugins) {
        this.plugins = plugins;
    }

    public void cluster(ClusterResource cluster) {
        for (Object plugin : plugins.keySet()) {
            if (plugin instanceof ClusterResourceListener listener) {
                listener.onUpdate(cluster);
            }
        }
    }

    /**
     * Needs Kafka 4.1.
     *
     * @param metrics a {@link PluginMetrics}; this class must load without that type
     */
    public void metrics(Object metrics) {
        Scope.relay(metrics, plugins);
    }

    /** The metrics of one plug-in among those of the relay. */
    private record Scope(PluginMetrics all, String setting, String type) implements PluginMetrics {
        static void relay(Object metrics, Map<Object, String> plugins) {
            plugins.forEach((plugin, setting) -> {
                if (plugin instanceof Monitorable monitorable) {
                    String type = plugin.getClass().getSimpleName();
                    monitorable.withPluginMetrics(new Scope((PluginMetrics) metrics, setting, type));
                }
            });
        }

        @Override
        public MetricName metricName(String name, String description, LinkedHashMap<String, String> tags) {
            LinkedHashMap<String, String> own = new LinkedHashMap<>();
            own.put("plugin-config", setting);
            own.put("plugin-class", type);
            own.putAll(tags);
            return all.metricName(name, description, own);
        }

        @Override
        public void addMetric(MetricName name, MetricValueProvider<?> value) {
            all.addMetric(name, value);
        }

        @Override
        public void removeMetric(MetricName name) {
            all.removeMetric(name);
        }

        @Override
        public Sensor addSensor(String name) {
            return all.addSensor(scoped(name));
        }

        @Override
        public void removeSensor(String name) {
            all.removeSensor(scoped(name));
        }

        private String scoped(String name) {
            return setting + "." + type + "." + name;
        }
    }
}
