package dev.blobshuffle.kafka;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.Mode;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.SharedParts;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.VirtualOffsetAdmin;
import dev.blobshuffle.kafka.internal.consume.ConsumerOpening;
import dev.blobshuffle.kafka.internal.consume.ShuffleConsumer;
import dev.blobshuffle.kafka.internal.consume.StreamsConsumer;
import dev.blobshuffle.kafka.internal.produce.ProducerOpening;
import dev.blobshuffle.kafka.internal.produce.ShuffleProducer;
import dev.blobshuffle.kafka.internal.produce.StreamsProducer;
import dev.blobshuffle.kafkaembedded.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * The clients of one test: real clients on a real broker, with one engine. Topics named
 * {@code blob-…} shuffle through blobs. Closes everything that it has opened.
 */
public final class Clients implements AutoCloseable {
    public static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Short, because closing a consumer waits for its last fetch. */
    static final int FETCH_WAIT_MS = 50;

    private final String bootstrap = EmbeddedKafka.shared().bootstrapServers();
    private final SystemTime time = new SystemTime();
    private final Engine engine;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public Clients(BlobStore store, Duration delay) {
        this(store, delay, Duration.ofSeconds(20));
    }

    /** Clients with an early delivery timeout. */
    public Clients(BlobStore store, Duration delay, Duration deliveryTimeout) {
        this(
                store,
                BatcherOptions.builder()
                        .delay(delay)
                        .deliveryTimeout(deliveryTimeout)
                        .build());
    }

    Clients(BlobStore store, BatcherOptions batching) {
        engine = ShuffleEngine.builder(store, time).batching(batching).build();
    }

    Engine engine() {
        return engine;
    }

    /** A new topic that shuffles through blobs. */
    public String blobTopic(int partitions) {
        return topic("blob-" + UUID.randomUUID(), partitions);
    }

    /**
     * A new topic whose leaders are ready. Otherwise a leader may reject a producer's first batch
     * and accept its second, for good.
     */
    String topic(String name, int partitions) {
        await(() -> admin().createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                .all()
                .get());
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
        }
        Admin admin = nativeAdmin();
        waitFor("the leaders of " + name)
                .ignoreExceptionsMatching(e -> e.getCause() instanceof UnknownTopicOrPartitionException)
                .until(() -> admin.listOffsets(ends).all().get() != null);
        return name;
    }

    Admin admin() {
        return keep(VirtualOffsetAdmin.wrap(nativeAdmin(), topics()));
    }

    public Admin nativeAdmin() {
        return keep(Admin.create(Map.of("bootstrap.servers", bootstrap)));
    }

    Map<String, Object> settings(Object... overrides) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
        for (int i = 0; i < overrides.length; i += 2) {
            settings.put((String) overrides[i], overrides[i + 1]);
        }
        return settings;
    }

    private Map<String, Object> ofConsumer(String group, Object... overrides) {
        Map<String, Object> settings = settings(
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false,
                "fetch.max.wait.ms",
                FETCH_WAIT_MS);
        settings.putAll(settings(overrides));
        return settings;
    }

    public Producer<String, String> producer(Object... overrides) {
        return keep(new ShuffleProducer<>(ProducerOpening.parts(
                settings(overrides),
                shared(ProducerWiring.Writes.BLOBS),
                new StringSerializer(),
                new StringSerializer())));
    }

    Producer<byte[], byte[]> byteProducer(Object... overrides) {
        return keep(new ShuffleProducer<>(ProducerOpening.parts(
                settings(overrides),
                shared(ProducerWiring.Writes.BLOBS),
                new ByteArraySerializer(),
                new ByteArraySerializer())));
    }

    public Producer<String, String> readOnlyProducer(Object... overrides) {
        return keep(new ShuffleProducer<>(ProducerOpening.parts(
                settings(overrides),
                shared(ProducerWiring.Writes.PLAIN),
                new StringSerializer(),
                new StringSerializer())));
    }

    Producer<String, String> nativeProducer(Object... overrides) {
        return keep(new KafkaProducer<>(settings(overrides), new StringSerializer(), new StringSerializer()));
    }

    public Consumer<String, String> consumer(String group, Object... overrides) {
        Map<String, Object> settings = ofConsumer(group, overrides);
        return keep(new ShuffleConsumer<>(ConsumerOpening.parts(
                settings, shared(ProducerWiring.Writes.BLOBS), new StringDeserializer(), new StringDeserializer())));
    }

    /** A consumer of an application that reads notifications and writes none. */
    public Consumer<String, String> rollingConsumer(String group, Object... overrides) {
        Map<String, Object> settings = ofConsumer(group, overrides);
        return keep(new ShuffleConsumer<>(ConsumerOpening.parts(
                settings, shared(ProducerWiring.Writes.PLAIN), new StringDeserializer(), new StringDeserializer())));
    }

    Consumer<byte[], byte[]> byteConsumer(String group, Object... overrides) {
        Map<String, Object> settings = ofConsumer(group, overrides);
        return keep(new ShuffleConsumer<>(ConsumerOpening.parts(
                settings,
                shared(ProducerWiring.Writes.BLOBS),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())));
    }

    /** Deletes every blob, even those with notifications. */
    static void deleteBlobs(BlobStore store) throws Exception {
        for (int owner : store.owners().toCompletableFuture().get()) {
            for (long generation :
                    store.generations(owner).toCompletableFuture().get()) {
                store.delete(store.list(owner, generation).toCompletableFuture().get().stream()
                                .map(StoredBlob::id)
                                .toList())
                        .toCompletableFuture()
                        .get();
            }
        }
    }

    /** Recreates a deleted topic: the broker may need a moment to remove it. */
    static void topicAgain(Admin admin, String name, int partitions) {
        NewTopic topic = new NewTopic(name, partitions, (short) 1);
        waitFor("the deletion of " + name)
                .ignoreExceptionsMatching(e -> e.getCause() instanceof TopicExistsException)
                .until(() -> admin.createTopics(List.of(topic)).all().get() == null);
    }

    /** A producer as Kafka Streams gets it. */
    Producer<byte[], byte[]> streamsProducer(Mode mode, ClientPair pair, Object... overrides) {
        Producer<byte[], byte[]> real =
                new KafkaProducer<>(settings(overrides), new ByteArraySerializer(), new ByteArraySerializer());
        boolean transactional = mode == Mode.KAFKA_STREAMS_EOS;
        ProducerWiring wiring = new ProducerWiring(
                mode,
                topics(),
                ProducerWiring.Writes.BLOBS,
                transactional,
                Duration.ofSeconds(20),
                Duration.ofMinutes(2),
                pair,
                Membership.none(),
                time);
        return keep(StreamsProducer.wrap(real, engine, "lane", wiring));
    }

    /** A main consumer as Kafka Streams gets it. */
    Consumer<byte[], byte[]> streamsConsumer(Mode mode, ClientPair pair, Object... overrides) {
        Map<String, Object> settings = ofConsumer("g", overrides);
        Consumer<byte[], byte[]> real =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        return keep(StreamsConsumer.wrap(
                real, engine, new ConsumerWiring(mode, "consumer", topics(), 1000, pair, Membership.none(), time)));
    }

    /** A consumer of any application around a real one, which is closed with it. */
    Consumer<byte[], byte[]> wrap(Consumer<byte[], byte[]> real) {
        return StreamsConsumer.wrap(
                real,
                engine,
                new ConsumerWiring(
                        Mode.GENERAL, "consumer", topics(), 1000, ClientPair.alone(), Membership.none(), time));
    }

    public Consumer<byte[], byte[]> nativeConsumer(String group, Object... overrides) {
        Map<String, Object> settings = settings(
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "fetch.max.wait.ms",
                FETCH_WAIT_MS);
        settings.putAll(settings(overrides));
        return keep(new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    public static TopicMatcher topics() {
        return TopicMatcher.of(List.of("blob-.*"), List.of());
    }

    private SharedParts shared(ProducerWiring.Writes writes) {
        return new SharedParts(
                engine,
                topics(),
                writes,
                Duration.ofSeconds(20),
                Membership.none(),
                Membership.none(),
                time,
                Map::of,
                () -> {});
    }

    /**
     * Sends values in one transaction or none, and flushes: there is one notification per
     * partition.
     */
    static void send(Producer<String, String> producer, String topic, int partition, String... values) {
        for (String value : values) {
            producer.send(new ProducerRecord<>(topic, partition, "k-" + value, value));
        }
        producer.flush();
    }

    static String[] values(String prefix, int count) {
        String[] values = new String[count];
        for (int i = 0; i < count; i++) {
            values[i] = prefix + i;
        }
        return values;
    }

    public static <K, V> List<ConsumerRecord<K, V>> read(Consumer<K, V> consumer, int count) {
        List<ConsumerRecord<K, V>> records = new ArrayList<>();
        waitFor(count + " records").until(() -> {
            consumer.poll(Duration.ofMillis(500)).forEach(records::add);
            return records.size() >= count;
        });
        return records;
    }

    /**
     * Waits for a condition that polls consumers. It stays in their owner's thread, and repeats
     * without a pause.
     */
    public static ConditionFactory waitFor(String what) {
        return Awaitility.await(what)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE);
    }

    static List<String> valuesOf(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }

    static TopicPartition partition(String topic) {
        return new TopicPartition(topic, 0);
    }

    private <T extends AutoCloseable> T keep(T client) {
        open.push(client);
        return client;
    }

    static void await(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    interface Action {
        void run() throws Exception;
    }

    @Override
    public void close() {
        open.forEach(client -> await(client::close));
        engine.close();
        time.close();
    }
}
