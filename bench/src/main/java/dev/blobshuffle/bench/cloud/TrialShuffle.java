package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.BlobConsumer;
import dev.blobshuffle.kafka.BlobProducer;
import dev.blobshuffle.kafkaembedded.KafkaProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A shuffle of some megabytes through a broker of its own and a store. It has committed
 * transactions, an aborted one, and a consumer group that must receive each committed record once,
 * in order and byte for byte. Owned by one thread, but {@link #close} may be called by any.
 */
final class TrialShuffle implements AutoCloseable {
    static final int RECORDS = 12_000;
    static final int RECORD_BYTES = 1024;

    private static final String TOPIC = "records";
    private static final int PARTITIONS = 4;
    private static final int TRANSACTIONS = 3;
    private static final Duration POLL = Duration.ofMillis(200);

    /** Longer than the time for which the engine retries a request. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final KafkaProcess broker;
    private final String store;
    private final Time time;

    private TrialShuffle(KafkaProcess broker, String store, Time time) {
        this.broker = broker;
        this.store = store;
        this.time = time;
    }

    /**
     * Starts the broker.
     *
     * @throws IllegalStateException if it does not start
     */
    static TrialShuffle start(String store, Time time) {
        KafkaProcess broker = KafkaProcess.builder().start();
        try {
            broker.createTopic(TOPIC, PARTITIONS);
            return new TrialShuffle(broker, store, time);
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    /**
     * Shuffles.
     *
     * @throws dev.blobshuffle.core.failure.BlobShuffleException fatal: the store did not carry the
     *     records
     * @throws org.apache.kafka.common.KafkaException fatal: the engine failed
     */
    void run() {
        write();
        read();
    }

    private Map<String, Object> settings(String zone) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", broker.bootstrapServers());
        settings.put("client.rack", zone);
        settings.put("blobshuffle.store", store);
        settings.put("blobshuffle.topics.include", TOPIC);
        settings.put("blobshuffle.inline.max.bytes", "0");
        return settings;
    }

    private void write() {
        Map<String, Object> settings = settings("zone-a");
        settings.put("transactional.id", "cloud-check");
        try (Producer<byte[], byte[]> producer =
                new BlobProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, 0, PARTITIONS, -1);
            producer.flush();
            producer.abortTransaction();
            int step = RECORDS / TRANSACTIONS;
            for (int first = 0; first < RECORDS; first += step) {
                producer.beginTransaction();
                send(producer, first, first + step, 1);
                producer.commitTransaction();
            }
        }
    }

    /**
     * Sends records that hold their number. Records of the aborted transaction have another sign.
     */
    private static void send(Producer<byte[], byte[]> producer, int first, int end, int sign) {
        for (int number = first; number < end; number++) {
            producer.send(new ProducerRecord<>(TOPIC, number % PARTITIONS, null, value(sign * (number + 1))));
        }
    }

    private static byte[] value(int number) {
        byte[] value = new byte[RECORD_BYTES];
        new Random(number).nextBytes(value);
        ByteBuffer.wrap(value).putInt(number);
        return value;
    }

    private void read() {
        Map<String, Object> settings = settings("zone-b");
        settings.put("group.id", "cloud-check");
        settings.put("auto.offset.reset", "earliest");
        settings.put("isolation.level", "read_committed");
        try (Consumer<byte[], byte[]> consumer =
                new BlobConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            int[] next = new int[PARTITIONS];
            int count = 0;
            long progress = time.nanos();
            while (count < RECORDS) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    require(record, next[record.partition()]++ * PARTITIONS + record.partition() + 1);
                    count++;
                    progress = time.nanos();
                }
                if (time.nanos() - progress > PATIENCE.toNanos()) {
                    throw new StoreUnavailableException("Cannot shuffle: " + count + " of " + RECORDS
                            + " records arrived, and no other for " + PATIENCE.toMinutes()
                            + " minutes. Check the network to the store.");
                }
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                throw new BlobCorruptException("Cannot shuffle: a record too many arrived in partition "
                        + record.partition() + ". Report it, with the store that you use.");
            }
            consumer.commitSync();
        }
    }

    private static void require(ConsumerRecord<byte[], byte[]> record, int expected) {
        byte[] value = record.value();
        if (value == null || !ByteBuffer.wrap(value).equals(ByteBuffer.wrap(value(expected)))) {
            throw new BlobCorruptException("Cannot shuffle: record " + expected + " of partition " + record.partition()
                    + " is missing or differs. Report it, with the store that you use.");
        }
    }

    /** Ends the broker and deletes its directory. */
    @Override
    public void close() {
        broker.close();
    }
}
