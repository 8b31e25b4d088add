package dev.blobshuffle.kafka.internal.produce;

import dev.blobshuffle.kafka.internal.client.PluginRelay;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.metrics.Monitorable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The real producer's serializer of bytes, with the relay to the application's plug-ins. */
class RelayingSerializer extends ByteArraySerializer implements ClusterResourceListener {
    final PluginRelay relay;

    private RelayingSerializer(PluginRelay relay) {
        this.relay = relay;
    }

    static RelayingSerializer of(PluginRelay relay) {
        return PluginRelay.HAS_METRICS ? Monitored.of(relay) : new RelayingSerializer(relay);
    }

    @Override
    public void onUpdate(ClusterResource cluster) {
        relay.cluster(cluster);
    }

    /** Only for Kafka from 4.1 on: earlier versions lack its interface. */
    private static final class Monitored extends RelayingSerializer implements Monitorable {
        private Monitored(PluginRelay relay) {
            super(relay);
        }

        static RelayingSerializer of(PluginRelay relay) {
            return new Monitored(relay);
        }

        @Override
        public void withPluginMetrics(PluginMetrics metrics) {
            relay.metrics(metrics);
        }
    }
}
