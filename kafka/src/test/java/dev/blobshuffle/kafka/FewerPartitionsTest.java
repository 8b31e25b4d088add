package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.produce.StreamsProducer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A producer of Kafka Streams whose metadata lacks partitions for a while. Records of a key must
 * not go to another task.
 */
class FewerPartitionsTest {
    private static final Node NODE = new Node(0, "localhost", 1);
    private static final int KEYS = 50;

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("fewer", 1 << 20);
    private final Engine engine = ShuffleEngine.builder(store, time)
            .batching(BatcherOptions.builder().delay(Duration.ofMinutes(5)).build())
            .build();
    private final Real real = new Real();
    private final StreamsProducer producer = StreamsProducer.wrap(
            real,
            engine,
            "lane",
            new ProducerWiring(
                    Mode.KAFKA_STREAMS_EOS,
                    Clients.topics(),
                    ProducerWiring.Writes.BLOBS,
                    true,
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(2),
                    ClientPair.alone(),
                    Membership.none(),
                    time));

    @AfterEach
    void close() {
        producer.close();
        engine.close();
        store.close();
        time.close();
    }

    private void send() {
        for (byte key = 0; key < KEYS; key++) {
            producer.send(new ProducerRecord<>("blob-t", new byte[] {key}, new byte[] {key}));
        }
    }

    /** Partitions of the notifications since the last commit. */
    private Set<Integer> committed() {
        producer.commitTransaction();
        Set<Integer> partitions = new TreeSet<>();
        real.history().forEach(record -> partitions.add(record.partition()));
        real.clear();
        return partitions;
    }

    @Test
    void noKeyChangesItsPartitionWhileMetadataLacksSome() {
        producer.initTransactions();
        producer.beginTransaction();
        send();
        assertThat(committed()).containsExactly(0, 1, 2, 3, 4, 5);

        real.partitions = 4;
        producer.beginTransaction();
        assertThatThrownBy(this::send)
                .isInstanceOf(KafkaException.class)
                .hasMessageContaining("had 6 partitions and has 4 now")
                .hasCauseInstanceOf(InvalidProducerEpochException.class); // The tasks start again.
        producer.abortTransaction();

        real.partitions = 6;
        producer.beginTransaction();
        send();
        assertThat(committed()).containsExactly(0, 1, 2, 3, 4, 5);
    }

    /** As in native Kafka Streams, the application continues with a recreated topic. */
    @Test
    void topicWithFewerPartitionsIsWrittenToAfterTheTasksStartedAgain() {
        producer.initTransactions();
        producer.beginTransaction();
        send();
        assertThat(committed()).hasSize(6);

        real.partitions = 2;
        producer.beginTransaction();
        assertThatThrownBy(this::send).isInstanceOf(KafkaException.class);
        producer.abortTransaction();

        producer.beginTransaction();
        send();
        assertThat(committed()).containsExactly(0, 1);
    }

    /** Stands for the real producer. */
    private static final class Real extends MockProducer<byte[], byte[]> {
        private int partitions = 6;

        Real() {
            super(Cluster.empty(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
            return IntStream.range(0, partitions)
                    .mapToObj(number -> new PartitionInfo(topic, number, NODE, new Node[] {NODE}, new Node[] {NODE}))
                    .toList();
        }
    }
}
