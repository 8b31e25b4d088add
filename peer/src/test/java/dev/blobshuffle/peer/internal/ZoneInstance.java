package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.engine.ZonePeers;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.consume.StreamsConsumer;
import dev.blobshuffle.kafka.internal.membership.KafkaMembership;
import dev.blobshuffle.kafka.internal.produce.StreamsProducer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/**
 * An instance as an application opens it, but that it reaches the others of its zone over counted
 * ways: writes to all partitions of a topic and reads some. Every record carries its writer and its
 * place in the writer's sequence to the partition. Owned by one thread.
 */
final class ZoneInstance implements AutoCloseable {
    private static final int LEAST_RECORD = 2 * Integer.BYTES;

    private final Zone zone;
    private final int number;
    private final String topic;
    private final List<TopicPartition> reads;
    private final int partitions;
    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics(time);
    private final Membership membership;
    private final ShuffleEngine engine;
    private final Producer<byte[], byte[]> producer;
    private final Consumer<byte[], byte[]> consumer;
    private final Map<Long, Integer> sequences = new HashMap<>();
    private final Random random;
    private int rounds;
    private long received;

    /**
     * Opens an instance and joins the others.
     *
     * @param number tells it from others
     * @param partitions of the topic; all are written
     * @param reads those that it reads
     * @param store where blobs are kept; not closed
     */
    ZoneInstance(
            Settings settings,
            String bootstrap,
            int number,
            String topic,
            int partitions,
            List<Integer> reads,
            BlobStore store,
            ZoneRoutes routes) {
        zone = settings.zone();
        this.number = number;
        this.topic = topic;
        this.partitions = partitions;
        this.reads = reads.stream()
                .map(partition -> new TopicPartition(topic, partition))
                .toList();
        random = new Random(number);
        Map<String, Object> kafkas = Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest");
        membership = routes.seenFrom(zone, KafkaMembership.of(settings, Optional.empty(), kafkas, time));
        HttpPeerNetwork network = new HttpPeerNetwork(ZoneFixture.patient(zone), metrics, time);
        engine = ShuffleEngine.builder(store, time)
                .metrics(metrics)
                .batching(BatcherOptions.builder(settings).build())
                .resilience(new ResilienceOptions(Duration.ofMinutes(1), ResilienceOptions.Hedging.OFF))
                .caching(CacheOptions.of(settings))
                .zonePeers(new ZonePeers(membership, network))
                .build();
        membership.join(engine.member());
        producer = StreamsProducer.wrap(
                new KafkaProducer<>(kafkas, new ByteArraySerializer(), new ByteArraySerializer()),
                engine,
                "writer-" + number,
                producing());
        consumer = StreamsConsumer.wrap(
                new KafkaConsumer<>(kafkas, new ByteArrayDeserializer(), new ByteArrayDeserializer()),
                engine,
                consuming());
        consumer.assign(this.reads);
    }

    private TopicMatcher topics() {
        return TopicMatcher.of(List.of(topic), List.of());
    }

    private ProducerWiring producing() {
        return new ProducerWiring(
                Mode.KAFKA_STREAMS_ALO,
                topics(),
                ProducerWiring.Writes.BLOBS,
                false,
                Duration.ofMinutes(1),
                Duration.ofMinutes(2),
                ClientPair.alone(),
                membership,
                time);
    }

    private ConsumerWiring consuming() {
        return new ConsumerWiring(
                Mode.KAFKA_STREAMS_ALO, "reader-" + number, topics(), 1000, ClientPair.alone(), membership, time);
    }

    Zone zone() {
        return zone;
    }

    long count(Counter counter) {
        return metrics.value(counter);
    }

    /**
     * Whether this instance knows, after a moment, so many members in each zone, and where every
     * partition is read.
     */
    boolean knows(List<Zone> zones, int membersOfEach) {
        consumer.poll(Duration.ofMillis(100)).forEach(this::check);
        boolean knowsMembers =
                zones.stream().allMatch(where -> membership.members(where).size() == membersOfEach);
        for (int partition = 0; partition < partitions; partition++) {
            knowsMembers &= membership.zoneOf(new Partition(topic, partition)).isPresent();
        }
        return knowsMembers;
    }

    /**
     * Writes a record to every partition, waits until all are stored and notified, and reads what
     * has come.
     */
    void round(int recordLength) {
        for (int partition = 0; partition < partitions; partition++) {
            byte[] value = new byte[recordLength];
            random.nextBytes(value);
            ByteBuffer.wrap(value).putInt(number).putInt(rounds);
            producer.send(new ProducerRecord<>(topic, partition, new byte[] {1}, value));
        }
        rounds++;
        producer.flush();
        consumer.poll(Duration.ZERO).forEach(this::check);
    }

    /** Reads until so many records have come, in order from each writer. */
    void readUpTo(long records) {
        Awaitility.await(records + " records in instance " + number)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofMinutes(2))
                .until(() -> {
                    consumer.poll(Duration.ofMillis(100)).forEach(this::check);
                    return received >= records;
                });
        if (received > records) {
            throw new AssertionError(received + " records came to instance " + number + " for " + records);
        }
    }

    private void check(ConsumerRecord<byte[], byte[]> record) {
        ByteBuffer value = ByteBuffer.wrap(record.value());
        long writer = value.getInt();
        int sequence = value.getInt();
        int expected = sequences.merge(writer << 32 | record.partition(), 1, Integer::sum) - 1;
        if (sequence != expected || record.value().length < LEAST_RECORD) {
            throw new AssertionError("record " + sequence + " of writer " + writer + " came to " + record.partition()
                    + " as number " + expected);
        }
        received++;
    }

    @Override
    public void close() {
        producer.close();
        consumer.close();
        membership.close();
        engine.close();
        time.close();
    }
}
