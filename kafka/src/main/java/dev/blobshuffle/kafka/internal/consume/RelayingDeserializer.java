package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.kafka.internal.client.PluginRelay;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The real consumer's deserializer of bytes, with the relay to the application's plug-ins. */
class RelayingDeserializer extends ByteArrayDeserializer implements ClusterResourceListener {
    final PluginRelay relay;

    private RelayingDeserializer(PluginRelay relay) {
        this.relay = relay;
    }

    static RelayingDeserializer of(PluginRelay relay) {
        return PluginRelay.HAS_METRICS ? Monitored.of(relay) : new RelayingDeserializer(relay);
    }

    @Override
    public void onUpdate(ClusterResource cluster) {
        relay.cluster(cluster);
    }

    /** Only for Kafka from 4.1 on: earlier versions lack its interface. */
    private static final class Monitored extends RelayingDeserializer implements Monitorable {
        private Monitored(PluginRelay relay) {
            super(relay);
        }

        static RelayingDeserializer of(PluginRelay relay) {
            return new Monitored(relay);
        }

        @Override
        public void withPluginMetrics(PluginMetrics metrics) {
            relay.metrics(metrics);
        }
    }
}
