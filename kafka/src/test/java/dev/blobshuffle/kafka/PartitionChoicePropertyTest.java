package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.produce.ProducerPlugins;
import dev.blobshuffle.kafka.internal.produce.StreamsProducer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A producer of Kafka Streams chooses the partition that Kafka's own producer chooses. The
 * reference is the private method of the real {@link KafkaProducer}, called with the same settings,
 * record and cluster. Without a key, or with ignored keys, that method leaves the choice to its
 * batches. Then the choice must be a partition with a leader, the same for all records of a batch,
 * and another one for later batches.
 */
class PartitionChoicePropertyTest {
    private static final int RECORDS = 3_000;
    private static final List<String> TOPICS = List.of("blob-a", "blob-b", "plain");

    private final SystemTime time = new SystemTime();
    private final Engine engine =
            ShuffleEngine.builder(new MemoryBlobStore("choice", 1L << 30), time).build();
    private final ChangingCluster delegate = new ChangingCluster();
    private Producer<byte[], byte[]> blobs;
    private KafkaProducer<byte[], byte[]> natively;

    private void open(Map<String, Object> chosen) {
        Map<String, Object> settings = new HashMap<>(chosen);
        settings.put("bootstrap.servers", "127.0.0.1:1");
        settings.put("client.id", "app-StreamThread-1-producer");
        settings.put("application.mark", "its own");
        natively = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        ProducerWiring wiring = new ProducerWiring(
                Mode.KAFKA_STREAMS_ALO,
                TopicMatcher.of(List.of("blob-.*"), List.of()),
                ProducerWiring.Writes.BLOBS,
                false,
                Duration.ofSeconds(20),
                Duration.ofMinutes(2),
                ClientPair.alone(),
                Membership.none(),
                time);
        blobs = StreamsProducer.wrap(delegate, engine, "lane", wiring, ProducerPlugins.open(settings));
    }

    @AfterEach
    void close() {
        if (blobs != null) {
            blobs.close();
            natively.close(Duration.ZERO);
        }
        engine.close();
        time.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {ByChecksum.class, ByValue.class, ByCluster.class, InTurn.class})
    void applicationsPartitionerDecides(Class<?> partitioner) {
        open(Map.of("partitioner.class", partitioner));
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < RECORDS; i++) {
            if (i % 200 == 0) {
                delegate.change(random);
            }
            ProducerRecord<byte[], byte[]> record = record(random, "blob-" + (char) ('a' + random.nextInt(2)));
            assertThat(chosen(record)).as("record %d", i).isEqualTo(natively(record));
        }
    }

    @Test
    void keyDecidesWithoutPartitioner() {
        open(Map.of());
        SplittableRandom random = new SplittableRandom(8);
        delegate.change(random);
        for (int i = 0; i < RECORDS; i++) {
            ProducerRecord<byte[], byte[]> record = record(random, "blob-a");
            int expected = natively(record);
            if (expected == RecordMetadata.UNKNOWN_PARTITION) {
                assertThat(delegate.available("blob-a")).contains(chosen(record));
            } else {
                assertThat(chosen(record)).as("record %d", i).isEqualTo(expected);
            }
        }
    }

    @Test
    void recordsWithIgnoredKeysStayTogetherInABatchAndVisitEveryPartitionThatHasALeader() {
        open(Map.of("partitioner.ignore.keys", true));
        SplittableRandom random = new SplittableRandom(9);
        delegate.change(random);
        Set<Integer> visited = new HashSet<>();
        for (int batch = 0; batch < 40; batch++) {
            Set<Integer> together = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>("blob-a", null, 1L, new byte[] {(byte) i}, new byte[5]);
                assertThat(natively(record)).isEqualTo(RecordMetadata.UNKNOWN_PARTITION);
                together.add(chosen(record));
            }
            assertThat(together).hasSize(1);
            visited.addAll(together);
            blobs.flush();
        }
        assertThat(visited).isEqualTo(delegate.available("blob-a"));
    }

    @Test
    void partitionerHasTheProducersSettingsAndEndsWithIt() {
        open(Map.of("partitioner.class", ByChecksum.class));
        assertThat(ByChecksum.last.settings)
                .containsEntry("client.id", "app-StreamThread-1-producer")
                .containsEntry("application.mark", "its own")
                .containsEntry("partitioner.class", ByChecksum.class);
        ByChecksum ours = ByChecksum.last;
        blobs.close();
        assertThat(ours.closed).isEqualTo(1);
    }

    @Test
    void negativeChoiceIsTheSameErrorAsNatively() {
        open(Map.of("partitioner.class", Negative.class));
        delegate.change(new SplittableRandom(1));
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("blob-a", new byte[1]);
        assertThatThrownBy(() -> natively(record)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> blobs.send(record))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Negative.class.getName());
    }

    private static ProducerRecord<byte[], byte[]> record(SplittableRandom random, String topic) {
        byte[] key = random.nextInt(5) == 0 ? null : bytes(random);
        byte[] value = random.nextInt(5) == 0 ? null : bytes(random);
        return new ProducerRecord<>(topic, null, 1L, key, value);
    }

    private static byte[] bytes(SplittableRandom random) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        return bytes;
    }

    private int chosen(ProducerRecord<byte[], byte[]> record) {
        try {
            return blobs.send(record).get().partition();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private int natively(ProducerRecord<byte[], byte[]> record) {
        try {
            Method method = KafkaProducer.class.getDeclaredMethod(
                    "partition", ProducerRecord.class, byte[].class, byte[].class, Cluster.class);
            method.setAccessible(true);
            return (int) method.invoke(natively, record, record.key(), record.value(), delegate.cluster);
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A real producer's view of a cluster: brokers come and go and lead other partitions, and
     * topics get more partitions.
     */
    private static final class ChangingCluster extends MockProducer<byte[], byte[]> {
        private Cluster cluster = Cluster.empty();

        ChangingCluster() {
            super(Cluster.empty(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        void change(SplittableRandom random) {
            List<Node> nodes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                nodes.add(new Node(i, "broker-" + i, 9092, "zone-" + random.nextInt(3)));
            }
            List<PartitionInfo> partitions = new ArrayList<>();
            for (String topic : TOPICS) {
                // Topics of Kafka Streams only get more partitions: FewerPartitionsTest covers the
                // rest.
                int before = cluster.partitionsForTopic(topic).size();
                int count = Math.max(before, 4 + random.nextInt(5));
                for (int i = 0; i < count; i++) {
                    Node leader = i == 1 ? null : nodes.get(random.nextInt(3));
                    Node[] replicas = nodes.toArray(new Node[0]);
                    partitions.add(0, new PartitionInfo(topic, i, leader, replicas, replicas));
                }
            }
            cluster = new Cluster(null, nodes, partitions, Set.of(), Set.of());
        }

        Set<Integer> available(String topic) {
            Set<Integer> available = new HashSet<>();
            cluster.availablePartitionsForTopic(topic).forEach(partition -> available.add(partition.partition()));
            return available;
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
            return cluster.partitionsForTopic(topic);
        }
    }

    /** A hash other than Kafka's, as in clients of other languages. */
    public static class ByChecksum implements Partitioner {
        private static ByChecksum last;
        private final Map<String, Object> settings = new HashMap<>();
        private int closed;

        @Override
        public void configure(Map<String, ?> given) {
            last = this;
            settings.putAll(given);
        }

        @Override
        public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
            CRC32 checksum = new CRC32();
            checksum.update(bytes == null ? new byte[0] : bytes);
            return (int) (checksum.getValue() % cluster.partitionCountForTopic(topic));
        }

        @Override
        public void close() {
            closed++;
        }
    }

    /** Uses the value and the topic, and checks that objects are the bytes. */
    public static final class ByValue extends ByChecksum {
        @Override
        public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
            assertThat(key).isSameAs(bytes);
            assertThat(value).isSameAs(valueBytes);
            return Math.floorMod(
                    31 * Arrays.hashCode(valueBytes) + topic.hashCode(),
                    cluster.partitionsForTopic(topic).size());
        }
    }

    /** Prefers partitions whose leader is in one zone. */
    public static final class ByCluster extends ByChecksum {
        @Override
        public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
            List<PartitionInfo> led = cluster.availablePartitionsForTopic(topic).stream()
                    .filter(partition -> Objects.equals(partition.leader().rack(), "zone-1"))
                    .toList();
            List<PartitionInfo> from = led.isEmpty() ? cluster.partitionsForTopic(topic) : led;
            int brokers = cluster.nodes().size();
            return from.get(Math.floorMod(Arrays.hashCode(bytes) + brokers, from.size()))
                    .partition();
        }
    }

    /** Counts by itself. */
    public static final class InTurn extends ByChecksum {
        private int next;

        @Override
        public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
            return next++ % cluster.partitionCountForTopic(topic);
        }
    }

    /** Chooses an impossible partition. */
    public static final class Negative extends ByChecksum {
        @Override
        public int partition(String topic, Object key, byte[] bytes, Object value, byte[] valueBytes, Cluster cluster) {
            return -1;
        }
    }
}
