package dev.blobshuffle.kafka.differential;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Calls of clients in a state that does not allow them. Each opens a client of its own. */
final class ClosedClients {
    private ClosedClients() {}

    static Map<String, Object> ofReader(Side side) {
        Map<String, Object> settings = new HashMap<>(side.clients());
        settings.put("group.id", "other-" + side.topic());
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", "earliest");
        settings.put("default.api.timeout.ms", 2000);
        settings.put("request.timeout.ms", 1000);
        return settings;
    }

    static String reader(Side side) {
        Consumer<byte[], byte[]> reader = side.door().consumer(ofReader(side));
        reader.assign(List.of(side.first()));
        reader.close();
        return calls(side, reader);
    }

    static String idleReader(Side side) {
        try (Consumer<byte[], byte[]> reader = side.door().consumer(ofReader(side))) {
            return calls(side, reader);
        }
    }

    private static String calls(Side side, Consumer<byte[], byte[]> reader) {
        TopicPartition first = side.first();
        return new Calls()
                .value(() -> reader.poll(Duration.ZERO).count())
                .value(reader::assignment)
                .value(reader::subscription)
                .value(reader::paused)
                .value(() -> reader.position(first))
                .value(() -> reader.currentLag(first))
                .value(() -> reader.committed(Set.of(first)).get(first))
                .effect(() -> reader.seek(first, 0))
                .effect(() -> reader.seek(first, new OffsetAndMetadata(0)))
                .effect(() -> reader.seekToEnd(List.of(first)))
                .effect(() -> reader.seekToBeginning(List.of()))
                .effect(() -> reader.pause(List.of(first)))
                .effect(() -> reader.resume(List.of(first)))
                .effect(() -> reader.commitSync())
                .effect(() -> reader.commitSync(Map.of()))
                .effect(() -> reader.commitAsync())
                .effect(() -> reader.enforceRebalance())
                .value(() -> reader.offsetsForTimes(Map.of(first, 1L << 50)).get(first))
                .value(() -> reader.endOffsets(List.of(first)).size())
                .value(() -> reader.partitionsFor(side.topic()).size())
                .value(() -> reader.groupMetadata().generationId())
                .effect(reader::unsubscribe)
                .effect(() -> reader.subscribe(List.of()))
                .effect(() -> reader.assign(List.of()))
                .effect(reader::wakeup)
                .effect(reader::close)
                .toString();
    }

    static String readerWithoutGroup(Side side) {
        Map<String, Object> settings = ofReader(side);
        settings.remove("group.id");
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.assign(List.of(side.first()));
            return new Calls()
                    .value(() -> side.named(reader.position(side.first())))
                    .value(() -> reader.committed(Set.of(side.first())).get(side.first()))
                    .effect(() -> reader.commitSync())
                    .effect(() -> reader.commitAsync())
                    .value(reader::groupMetadata)
                    .effect(reader::unsubscribe)
                    .effect(() -> reader.subscribe(List.of(side.topic())))
                    .value(() -> reader.poll(Duration.ZERO).count())
                    .toString();
        }
    }

    static Map<String, Object> ofWriter(Side side) {
        Map<String, Object> settings = new HashMap<>(side.clients());
        settings.put("max.block.ms", 2000);
        return settings;
    }

    /** A record of another topic of this side, so that the program's topic keeps its content. */
    static ProducerRecord<byte[], byte[]> record(Side side) {
        return new ProducerRecord<>(side.besides(), 0, null, new byte[3]);
    }

    static Map<TopicPartition, OffsetAndMetadata> offsets(Side side) {
        return Map.of(side.first(), new OffsetAndMetadata(0));
    }

    static String sent(Future<RecordMetadata> sent) throws Exception {
        return "in " + sent.get().partition();
    }

    static String writer(Side side) {
        Producer<byte[], byte[]> writer = side.door().producer(ofWriter(side));
        Future<RecordMetadata> last = writer.send(record(side));
        writer.close();
        return new Calls()
                .value(() -> sent(last))
                .effect(() -> writer.send(record(side)))
                .effect(writer::flush)
                .value(() -> writer.partitionsFor(side.topic()).size())
                .effect(writer::initTransactions)
                .effect(writer::beginTransaction)
                .effect(writer::abortTransaction)
                .effect(writer::close)
                .effect(() -> writer.close(Duration.ZERO))
                .toString();
    }

    static String withoutTransactions(Side side) {
        try (Producer<byte[], byte[]> writer = side.door().producer(ofWriter(side))) {
            Future<RecordMetadata> before = writer.send(record(side));
            return new Calls()
                    .effect(writer::abortTransaction)
                    .effect(writer::initTransactions)
                    .effect(writer::beginTransaction)
                    .effect(() -> writer.sendOffsetsToTransaction(offsets(side), new ConsumerGroupMetadata("g")))
                    .effect(writer::commitTransaction)
                    .effect(writer::flush)
                    .value(() -> sent(before))
                    .value(() -> sent(writer.send(record(side))))
                    .effect(() -> writer.send(null))
                    .toString();
        }
    }

    static String withoutInit(Side side) {
        Map<String, Object> settings = ofWriter(side);
        settings.put("transactional.id", "other-" + side.topic());
        // Natively, the flush waits until the refused record has expired.
        settings.put("request.timeout.ms", 1000);
        settings.put("delivery.timeout.ms", 2000);
        try (Producer<byte[], byte[]> writer = side.door().producer(settings)) {
            return new Calls()
                    .effect(() -> writer.send(record(side)))
                    .effect(writer::beginTransaction)
                    .effect(() -> writer.sendOffsetsToTransaction(offsets(side), new ConsumerGroupMetadata("g")))
                    .effect(writer::flush)
                    .effect(writer::commitTransaction)
                    .effect(writer::abortTransaction)
                    .toString();
        }
    }

    static String flushInCallback(Side side) {
        List<String> inside = new ArrayList<>();
        try (Producer<byte[], byte[]> writer = side.door().producer(ofWriter(side))) {
            Future<RecordMetadata> first = writer.send(record(side), (metadata, failure) -> {
                inside.add(new Calls().effect(writer::flush).toString());
                writer.send(record(side));
                throw new IllegalStateException("planted");
            });
            Future<RecordMetadata> second = writer.send(record(side));
            return new Calls().effect(writer::flush).value(() -> sent(first)).value(() -> sent(second)) + " inside "
                    + inside;
        }
    }

    static String headersAfterSend(Side side) {
        try (Producer<byte[], byte[]> writer = side.door().producer(ofWriter(side))) {
            ProducerRecord<byte[], byte[]> record = record(side);
            Future<RecordMetadata> first = writer.send(record);
            return new Calls()
                    .effect(() -> record.headers().add("late", new byte[1]))
                    .effect(() -> writer.send(record))
                    .effect(writer::flush)
                    .value(() -> sent(first))
                    .toString();
        }
    }

    static String closedForNegativeTime(Side side) {
        try (Producer<byte[], byte[]> writer = side.door().producer(ofWriter(side))) {
            Future<RecordMetadata> before = writer.send(record(side));
            return new Calls()
                    .effect(() -> writer.close(Duration.ofMillis(-1)))
                    .value(() -> sent(writer.send(record(side))))
                    .value(() -> sent(before))
                    .toString();
        }
    }
}
