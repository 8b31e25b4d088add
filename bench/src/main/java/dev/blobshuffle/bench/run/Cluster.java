package dev.blobshuffle.bench.run;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.process.CpuTime;
import dev.blobshuffle.bench.workload.Message;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Brokers as processes, as many as the replication factor, and the runner's requests to them. Owned
 * by one thread.
 */
final class Cluster implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration SCAN_TIMEOUT = Duration.ofMinutes(2);

    private final KafkaProcess kafka;
    private final Admin admin;

    private Cluster(KafkaProcess kafka) {
        this.kafka = kafka;
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    static Cluster start(int replication, Path directory) {
        return new Cluster(KafkaProcess.builder()
                .brokers(replication)
                .replicationFactor(replication)
                .heapMebibytes(1024)
                .jvmFlags("-XX:-UseDynamicNumberOfCompilerThreads")
                .property("log.segment.delete.delay.ms", 100)
                .dataDirectory(directory)
                .start());
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    CpuTime cpu() throws IOException {
        return CpuTime.of(
                IntStream.range(0, kafka.brokers()).mapToObj(kafka::pid).toList());
    }

    /** Creates a topic with the cluster's replication. */
    void createTopic(String name, int partitions) {
        kafka.createTopic(name, partitions);
    }

    /**
     * Creates the topic of an input. The input is not measured, so it has no replicas, unless the
     * parameters ask for replicas or for killed brokers.
     */
    void createInput(String name, Parameters parameters) throws IOException, InterruptedException {
        Parameter replicas =
                parameters.number(Parameter.BROKER_KILLS) > 0 ? Parameter.REPLICATION : Parameter.INPUT_REPLICATION;
        NewTopic topic = new NewTopic(name, parameters.count(Parameter.PARTITIONS), (short) parameters.count(replicas));
        get(admin.createTopics(List.of(topic)).all());
    }

    /** Writes a few records, partitioned by their keys. */
    void write(String topic, List<Message> messages) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            messages.forEach(message -> producer.send(new ProducerRecord<>(topic, message.key(), message.value())));
        }
    }

    /** Kills a broker with SIGKILL, starts it again on its data, and returns when it serves. */
    void killBroker(int node) {
        kafka.kill(node);
        kafka.restart(node);
    }

    /** Deletes all topics whose names begin with a prefix. */
    void deleteTopics(String prefix) throws IOException, InterruptedException {
        List<String> own = get(admin.listTopics().names()).stream()
                .filter(topic -> topic.startsWith(prefix))
                .toList();
        get(admin.deleteTopics(own).all());
    }

    /** Passes every record committed to a topic to the receiver. */
    void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> receiver)
            throws IOException, InterruptedException {
        read(partitions(List.of(topic)).stream().collect(Collectors.toMap(p -> p, p -> 0L)), receiver);
    }

    private void read(Map<TopicPartition, Long> starts, Consumer<ConsumerRecord<byte[], byte[]>> receiver)
            throws IOException {
        if (starts.isEmpty()) {
            return;
        }
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrapServers(),
                "isolation.level",
                "read_committed",
                "fetch.max.wait.ms",
                50); // The close of a consumer waits for its last fetch.
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(starts.keySet());
            starts.forEach(consumer::seek);
            Map<TopicPartition, Long> ends = consumer.endOffsets(starts.keySet());
            long deadline = System.nanoTime() + SCAN_TIMEOUT.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(receiver);
                if (System.nanoTime() > deadline) {
                    throw new IOException("Cannot read what came out: it took more than " + SCAN_TIMEOUT.toSeconds()
                            + " s. Is the machine too busy?");
                }
            }
        }
    }

    /**
     * Whether the application has read and committed everything in its inputs and its shuffle
     * topics. The committed positions are read before the ends of the topics, and the application's
     * output is in its topics before it commits. So if all positions are at the ends, no record is
     * left. An open transaction, as a killed instance leaves one, hides records that others wrote
     * after it. The result is then false.
     */
    boolean isDrained(String applicationId, Collection<String> inputs) throws IOException, InterruptedException {
        try {
            return isRead(applicationId, inputs);
        } catch (IOException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false; // it is new, and some brokers do not know it yet
            }
            throw e;
        }
    }

    private boolean isRead(String applicationId, Collection<String> inputs) throws IOException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(admin.listConsumerGroupOffsets(applicationId).partitionsToOffsetAndMetadata());
        Set<String> topics = get(admin.listTopics().names()).stream()
                .filter(name ->
                        inputs.contains(name) || name.startsWith(applicationId + "-") && name.endsWith("-repartition"))
                .collect(Collectors.toSet());
        Map<TopicPartition, ListOffsetsResultInfo> ends = get(admin.listOffsets(
                        partitions(topics).stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
                .all());
        if (!isSettled(applicationId)) {
            return false;
        }
        Map<TopicPartition, Long> behind = new HashMap<>();
        ends.forEach((partition, end) -> {
            OffsetAndMetadata position = committed.get(partition);
            long offset = position == null ? 0 : position.offset();
            if (offset < end.offset()) {
                behind.put(partition, offset);
            }
        });
        // Only transaction markers may be left.
        long[] left = new long[1];
        read(behind, record -> left[0]++);
        return left[0] == 0;
    }

    /** Whether no transaction is open in a topic of the application. */
    private boolean isSettled(String applicationId) throws IOException, InterruptedException {
        Set<String> own = get(admin.listTopics().names()).stream()
                .filter(name -> name.startsWith(applicationId + "-"))
                .collect(Collectors.toSet());
        return ends(own, IsolationLevel.READ_COMMITTED).equals(ends(own, IsolationLevel.READ_UNCOMMITTED));
    }

    private Map<TopicPartition, Long> ends(Collection<String> topics, IsolationLevel isolation)
            throws IOException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest =
                partitions(topics).stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        get(admin.listOffsets(latest, new ListOffsetsOptions(isolation)).all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private Set<TopicPartition> partitions(Collection<String> topics) throws IOException, InterruptedException {
        return get(admin.describeTopics(topics).allTopicNames()).values().stream()
                .flatMap(topic -> topic.partitions().stream().map(p -> new TopicPartition(topic.name(), p.partition())))
                .collect(Collectors.toSet());
    }

    private static <T> T get(KafkaFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IOException(
                    "Cannot ask the brokers: " + e.getCause() + ". Is the machine out of memory or disk?",
                    e.getCause());
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        for (int node = 0; node < kafka.brokers(); node++) {
            kafka.kill(node); // No data is needed any more, and an orderly end takes seconds.
        }
        kafka.close();
    }
}
