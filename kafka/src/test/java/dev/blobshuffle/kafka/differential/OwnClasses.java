package dev.blobshuffle.kafka.differential;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;

/** Serializers, deserializers and interceptors of an application, which settings name. */
final class OwnClasses {
    private static final String NOTES = "own.notes";

    private OwnClasses() {}

    /** A producer whose serializer throws for an empty value. */
    static String writer(Side side) {
        Map<String, String> notes = new ConcurrentHashMap<>();
        Map<String, Object> settings = ClosedClients.ofWriter(side);
        settings.put(NOTES, notes);
        settings.put("key.serializer", Particular.class.getName());
        settings.put("value.serializer", Particular.class.getName());
        settings.put("interceptor.classes", Watching.class.getName());
        try (Producer<byte[], byte[]> writer = side.door().producerOf(settings)) {
            return new Calls()
                            .value(() -> ClosedClients.sent(writer.send(ClosedClients.record(side))))
                            .value(() -> writer.send(new ProducerRecord<>(side.besides(), 0, null, new byte[0])))
                            .value(() -> writer.send(new ProducerRecord<>(side.besides(), null, null, new byte[0])))
                            .value(() -> ClosedClients.sent(writer.send(ClosedClients.record(side))))
                    + " seen " + new TreeMap<>(notes);
        }
    }

    /** A consumer whose deserializer takes buffers. */
    static String reader(Side side) {
        Map<String, String> notes = new ConcurrentHashMap<>();
        Map<String, Object> settings = new HashMap<>(side.clients());
        settings.put(NOTES, notes);
        settings.put("group.id", "own-classes-" + side.topic());
        settings.put("auto.offset.reset", "earliest");
        try (Consumer<byte[], String> reader = side.door().consumer(settings, new OfBuffers())) {
            reader.assign(List.of(side.first()));
            return new Calls().value(() -> {
                        for (int i = 0; i < 600; i++) {
                            for (ConsumerRecord<byte[], String> each : reader.poll(Duration.ofMillis(100))) {
                                return each.value();
                            }
                        }
                        return "none";
                    })
                    + " seen " + notes;
        }
    }

    /** A serializer that learns of the cluster. */
    public static final class Particular extends ByteArraySerializer implements ClusterResourceListener {
        private Map<String, String> notes = Map.of();

        @Override
        @SuppressWarnings("unchecked") // the test's own map
        public void configure(Map<String, ?> settings, boolean isKey) {
            notes = (Map<String, String>) settings.get(NOTES);
        }

        @Override
        public byte[] serialize(String topic, Headers headers, byte[] data) {
            if (data != null && data.length == 0) {
                throw new IllegalStateException("planted");
            }
            return super.serialize(topic, headers, data);
        }

        @Override
        public void onUpdate(ClusterResource cluster) {
            notes.put("serializer", "cluster " + (cluster.clusterId() != null));
        }
    }

    /** An interceptor that notes the ends of sends, and learns of the cluster. */
    public static final class Watching implements ProducerInterceptor<byte[], byte[]>, ClusterResourceListener {
        private Map<String, String> notes = Map.of();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
            notes.merge(failure == null ? "sent" : "failed", " to " + metadata.partition(), String::concat);
        }

        @Override
        public void onUpdate(ClusterResource cluster) {
            notes.put("interceptor", "cluster " + (cluster.clusterId() != null));
        }

        @Override
        public void close() {}

        @Override
        @SuppressWarnings("unchecked") // the test's own map
        public void configure(Map<String, ?> settings) {
            notes = (Map<String, String>) settings.get(NOTES);
        }
    }

    /** As Kafka's consumer calls it, with a buffer. */
    private static final class OfBuffers implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] data) {
            return "an array";
        }

        @Override
        public String deserialize(String topic, Headers headers, ByteBuffer data) {
            return "a buffer of " + data.remaining();
        }
    }
}
