package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafka.differential.OtherReaders.Noting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Consumers in groups of their own that start without a commit, and commits that end late. */
final class StartingReaders {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private StartingReaders() {}

    private static Map<String, Object> group(Side side, String name) {
        Map<String, Object> settings = new HashMap<>(side.clients());
        settings.put("group.id", name + side.topic());
        settings.put("enable.auto.commit", false);
        return settings;
    }

    /** Two partitions of which one has a commit, and a consumer that starts only at commits. */
    static String besidesUncommitted(Side side) {
        TopicPartition committed = new TopicPartition(side.besides(), 0);
        TopicPartition other = side.first();
        Map<String, Object> settings = group(side, "uncommitted-");
        settings.put("auto.offset.reset", "none");
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.assign(List.of(committed, other));
            reader.commitSync(Map.of(committed, new OffsetAndMetadata(0)));
            return new Calls()
                    .value(() -> reader.position(committed, PATIENCE))
                    .value(() -> reader.position(committed, PATIENCE))
                    .value(() -> reader.position(other, PATIENCE))
                    .value(() -> reader.poll(Duration.ofSeconds(1)).count())
                    .effect(() -> reader.seekToBeginning(List.of(other)))
                    .value(() -> side.named(reader.position(other, PATIENCE)))
                    .toString();
        }
    }

    /** A consumer whose commit is under way when it closes. */
    static String committingAtTheEnd(Side side) {
        Map<String, Object> settings = group(side, "closing-");
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        settings.put("interceptor.classes", Noting.class.getName());
        settings.put(Noting.NOTES, seen);
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(side.first(), new OffsetAndMetadata(0));
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.assign(List.of(side.first()));
            reader.commitSync(offsets);
            return new Calls()
                            .effect(() -> reader.commitAsync(
                                    offsets,
                                    (committed, failure) ->
                                            seen.merge("called", failure == null ? 1 : 100, Integer::sum)))
                            .effect(reader::close)
                    + " seen " + new TreeMap<>(seen);
        }
    }

    /** Starts at the first record of the last half an hour, which is in the middle of a segment. */
    static String byDuration(Side side) throws Exception {
        TopicPartition partition = new TopicPartition(side.topic() + "-ages", 0);
        side.admin()
                .createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1)))
                .all()
                .get();
        List<RecordMetadata> sent = sendAges(side, partition);
        Map<String, Object> settings = group(side, "duration-");
        settings.put("auto.offset.reset", "by_duration:PT30M");
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.assign(List.of(partition));
            Calls calls = new Calls()
                    .value(() -> index(sent, reader.position(partition, PATIENCE)))
                    .effect(reader::commitSync)
                    .value(() -> index(
                            sent,
                            reader.committed(Set.of(partition)).get(partition).offset()))
                    .value(() -> read(reader, 2))
                    .effect(() -> reader.seek(partition, 1L << 50))
                    .value(() -> read(reader, 2));
            return calls.toString();
        } finally {
            side.admin().deleteTopics(List.of(partition.topic()));
        }
    }

    private static List<RecordMetadata> sendAges(Side side, TopicPartition partition) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        long now = System.currentTimeMillis();
        try (Producer<byte[], byte[]> writer = side.door().producer(ClosedClients.ofWriter(side))) {
            for (int minutes : List.of(60, 50, 40, 10, 5)) {
                long time = now - Duration.ofMinutes(minutes).toMillis();
                byte[] value = {(byte) minutes};
                sent.add(writer.send(new ProducerRecord<>(partition.topic(), 0, time, null, value)));
            }
        }
        List<RecordMetadata> acknowledged = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            acknowledged.add(each.get());
        }
        return acknowledged;
    }

    private static int index(List<RecordMetadata> sent, long offset) {
        return sent.stream().map(RecordMetadata::offset).toList().indexOf(offset);
    }

    private static List<Byte> read(Consumer<byte[], byte[]> reader, int count) {
        List<Byte> read = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (read.size() < count && System.nanoTime() - deadline < 0) {
            for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(100))) {
                read.add(record.value()[0]);
            }
        }
        return read;
    }
}
