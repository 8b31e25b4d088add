package dev.blobshuffle.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares answers about times with those of Kafka's consumer on a topic with the same records. */
class TimesIT {
    private static final List<Long> TIMES =
            List.of(100L, 300L, 200L, 300L, 350L, 340L, 900L, 400L, 400L, 950L, 1000L, 990L);

    /** The base of the times: records of 1970 are too old for a broker's retention. */
    private final long hourAgo =
            System.currentTimeMillis() - Duration.ofHours(1).toMillis();

    private final MemoryBlobStore store = new MemoryBlobStore("times", 1L << 30);
    private Clients clients;
    private String topic;
    private String plain;

    @BeforeEach
    void open() {
        clients = new Clients(store, Duration.ofSeconds(30));
        topic = clients.blobTopic(2);
        plain = clients.topic("plain-" + UUID.randomUUID(), 2);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private Consumer<String, String> reader(String read, Object... overrides) {
        Consumer<String, String> consumer = clients.consumer("g-" + read, overrides);
        consumer.assign(List.of(new TopicPartition(read, 0), new TopicPartition(read, 1)));
        return consumer;
    }

    private void send(Producer<String, String> producer, String to, List<Long> times, int batch) {
        for (int i = 0; i < times.size(); i++) {
            for (int partition = 0; partition < 2; partition++) {
                producer.send(new ProducerRecord<>(to, partition, hourAgo + times.get(i), "k", "v" + i));
            }
            if (i % batch == batch - 1) {
                producer.flush();
            }
        }
        producer.flush();
    }

    /** The answers, as the first record that is read from there and its timestamp. */
    private List<String> answers(Consumer<String, String> consumer, String of, int records) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> all = new HashMap<>();
        Clients.read(consumer, records)
                .forEach(record -> all.computeIfAbsent(
                                new TopicPartition(record.topic(), record.partition()), key -> new ArrayList<>())
                        .add(record));
        List<String> answers = new ArrayList<>();
        for (long time = 50; time <= 1050; time += 50) {
            TopicPartition first = new TopicPartition(of, 0);
            TopicPartition second = new TopicPartition(of, 1);
            Map<TopicPartition, OffsetAndTimestamp> found =
                    consumer.offsetsForTimes(Map.of(first, hourAgo + time, second, hourAgo + 1050 - time));
            answers.add(time + ": " + shown(all.get(first), found.get(first)) + ", "
                    + shown(all.get(second), found.get(second)));
        }
        return answers;
    }

    private String shown(List<ConsumerRecord<String, String>> records, OffsetAndTimestamp found) {
        if (found == null) {
            return "none";
        }
        String value = records.stream()
                .filter(record -> record.offset() == found.offset())
                .map(ConsumerRecord::value)
                .findFirst()
                .orElse("no record");
        long time = found.timestamp() - hourAgo;
        return value + " at " + (time < 1050 ? time : "the time of a marker");
    }

    @Tag("every-kafka")
    @Test
    void timesFindTheSameRecordsAsNatively() {
        send(clients.producer(), topic, TIMES, 4);
        send(clients.nativeProducer(), plain, TIMES, 4);

        assertThat(answers(reader(topic), topic, 24)).isEqualTo(answers(reader(plain), plain, 24));
    }

    @Test
    void timesFindPlainRecordsBetweenSegments() {
        for (int from = 0; from < TIMES.size(); from += 4) {
            Producer<String, String> mixed = from == 4 ? clients.nativeProducer() : clients.producer();
            send(mixed, topic, TIMES.subList(from, from + 4), 4);
            send(clients.nativeProducer(), plain, TIMES.subList(from, from + 4), 4);
        }

        assertThat(answers(reader(topic), topic, 24)).isEqualTo(answers(reader(plain), plain, 24));
    }

    @Test
    void brokersTimesAreThoseOfTheSegment() throws Exception {
        String appended = "blob-" + UUID.randomUUID();
        clients.nativeAdmin()
                .createTopics(List.of(new NewTopic(appended, 2, (short) 1)
                        .configs(Map.of("message.timestamp.type", "LogAppendTime"))))
                .all()
                .get();
        send(clients.producer(), appended, TIMES, 4);
        Consumer<String, String> consumer = reader(appended);
        ConsumerRecord<String, String> last = Clients.read(consumer, 24).stream()
                .filter(record -> record.partition() == 0 && record.value().equals("v8"))
                .findFirst()
                .orElseThrow();
        TopicPartition partition = Clients.partition(appended);

        OffsetAndTimestamp found =
                consumer.offsetsForTimes(Map.of(partition, last.timestamp())).get(partition);
        assertThat(found.timestamp()).isEqualTo(last.timestamp());
        assertThat(VirtualOffset.index(found.offset())).isZero();
    }

    @Test
    void abortedRecordsAnswerAsNativelyWithoutTheirBlob() {
        for (String to : List.of(topic, plain)) {
            Producer<String, String> producer = to.equals(topic)
                    ? clients.producer("transactional.id", to)
                    : clients.nativeProducer("transactional.id", to);
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, to, List.of(100L, 200L), 2);
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, to, List.of(150L, 250L), 2);
            producer.commitTransaction();
        }
        String committed = "read_committed";

        assertThat(answers(reader(topic, "isolation.level", committed), topic, 4))
                .isEqualTo(answers(reader(plain, "isolation.level", committed), plain, 4));
    }

    /** Needs Kafka 4.0 for {@code by_duration}; the time is in the middle of the second segment. */
    @Test
    void groupWithoutCommitsStartsAtTheAgeOfItsReset() {
        List<Long> times = List.of(0L, 100L, 200L, 300L, Duration.ofMinutes(50).toMillis(), 400L);
        List<List<String>> read = new ArrayList<>();
        for (String to : List.of(topic, plain)) {
            send(to.equals(topic) ? clients.producer() : clients.nativeProducer(), to, times, 3);
            Consumer<String, String> consumer = clients.consumer("age-" + to, "auto.offset.reset", "by_duration:PT30M");
            consumer.assign(List.of(new TopicPartition(to, 0)));
            read.add(Clients.valuesOf(Clients.read(consumer, 2)));
        }
        assertThat(read.get(0)).isEqualTo(read.get(1)).containsExactly("v4", "v5");
    }

    @Test
    void segmentThatIsGoneAnswersWithItsStart() throws Exception {
        send(clients.producer(), topic, List.of(100L, 200L), 2);
        Clients.deleteBlobs(store);
        TopicPartition partition = Clients.partition(topic);

        assertThat(reader(topic)
                        .offsetsForTimes(Map.of(partition, hourAgo + 150L))
                        .get(partition))
                .isEqualTo(new OffsetAndTimestamp(VirtualOffset.of(0), hourAgo + 200, Optional.of(0)));
    }
}
