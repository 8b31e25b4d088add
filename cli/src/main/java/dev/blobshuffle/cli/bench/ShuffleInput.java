package dev.blobshuffle.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The input that every run of a cluster reads: random values, written before anything is measured, unreplicated.
 *
 * @param topic its name
 * @param records number of records
 * @param checksum the sum that a run must find
 */
record ShuffleInput(String topic, long records, long checksum) {
    private static final short NOT_REPLICATED = 1;

    /** Writes the input. */
    static ShuffleInput write(String bootstrapServers, int partitions, long records, int bytes, long seed)
            throws ExecutionException, InterruptedException {
        String topic = "input";
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            NewTopic wanted = new NewTopic(topic, partitions, NOT_REPLICATED);
            admin.createTopics(List.of(wanted)).all().get();
        }
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", "20", "batch.size", "262144", "acks", "1");
        SplittableRandom random = new SplittableRandom(seed);
        CRC32C scratch = new CRC32C();
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        long checksum = 0;
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < records; i++) {
                byte[] value = new byte[bytes];
                random.nextBytes(value);
                checksum += Value.checksum(scratch, Arrays.copyOf(value, Value.KEY_BYTES), value);
                producer.send(new ProducerRecord<>(topic, (int) (i % partitions), null, value), (sent, e) -> {
                    if (e != null) {
                        failure.compareAndSet(null, e);
                    }
                });
            }
        }
        Exception first = failure.get();
        if (first != null) {
            throw new ExecutionException("Cannot write the input: " + first.getMessage(), first);
        }
        return new ShuffleInput(topic, records, checksum);
    }
}
