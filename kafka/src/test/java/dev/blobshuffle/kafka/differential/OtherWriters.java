package dev.blobshuffle.kafka.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Calls of producers that have rivals, or other settings than those of programs. */
final class OtherWriters {
    private static final int PATIENCE_SECONDS = 60;

    private OtherWriters() {}

    private static Map<String, Object> transactional(Side side, String name) {
        Map<String, Object> settings = ClosedClients.ofWriter(side);
        settings.put("max.block.ms", 60_000);
        settings.put("transactional.id", name + side.topic());
        return settings;
    }

    /** Two producers with one transactional id: the second fences the first. */
    static String fenced(Side side, boolean isInTransaction) {
        try (Producer<byte[], byte[]> first = side.door().producer(transactional(side, "fenced-"))) {
            Calls calls = new Calls().effect(first::initTransactions);
            if (isInTransaction) {
                calls.effect(first::beginTransaction)
                        .effect(() -> first.send(ClosedClients.record(side)))
                        .effect(first::flush);
            }
            try (Producer<byte[], byte[]> second = side.door().producer(transactional(side, "fenced-"))) {
                calls.effect(second::initTransactions);
                if (!isInTransaction) {
                    calls.effect(first::beginTransaction).effect(() -> first.send(ClosedClients.record(side)));
                }
                return calls.effect(first::commitTransaction)
                        .effect(first::commitTransaction)
                        .effect(first::beginTransaction)
                        .effect(first::abortTransaction)
                        .effect(second::beginTransaction)
                        .value(() -> second.send(ClosedClients.record(side)) != null)
                        .effect(second::commitTransaction)
                        .toString();
            }
        }
    }

    /** Offsets of a member that the group does not have. */
    static String staleGeneration(Side side) {
        ConsumerGroupMetadata stale = new ConsumerGroupMetadata("stale-" + side.topic(), 7, "nobody", Optional.empty());
        try (Producer<byte[], byte[]> writer = side.door().producer(transactional(side, "stale-"))) {
            return new Calls()
                    .effect(writer::initTransactions)
                    .effect(writer::beginTransaction)
                    .effect(() -> writer.sendOffsetsToTransaction(ClosedClients.offsets(side), stale))
                    .effect(writer::commitTransaction)
                    .effect(writer::abortTransaction)
                    .effect(writer::beginTransaction)
                    .effect(writer::commitTransaction)
                    .toString();
        }
    }

    /** The answers to a send of a producer with some settings. */
    static String with(Side side, Map<String, Object> more) {
        Map<String, Object> settings = ClosedClients.ofWriter(side);
        settings.putAll(more);
        return Outcome.of(() -> {
            List<String> called = new ArrayList<>();
            try (Producer<byte[], byte[]> writer = side.door().producer(settings)) {
                var sent = writer.send(
                        ClosedClients.record(side),
                        (metadata, failure) -> called.add(metadata.partition() + " " + failure));
                writer.flush();
                RecordMetadata metadata = sent.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return "in " + metadata.partition() + " " + called;
            }
        });
    }

    static String closedInCallback(Side side) {
        List<String> inside = new ArrayList<>();
        CountDownLatch called = new CountDownLatch(1);
        try (Producer<byte[], byte[]> writer = side.door().producer(ClosedClients.ofWriter(side))) {
            var sent = writer.send(ClosedClients.record(side), (metadata, failure) -> {
                inside.add(new Calls().effect(writer::close).toString());
                called.countDown();
            });
            writer.flush();
            return new Calls()
                            .value(() -> ClosedClients.sent(sent))
                            .value(() -> called.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                            .effect(() -> writer.send(ClosedClients.record(side)))
                    + " inside " + inside;
        }
    }

    static String partitionsFor(Side side) {
        try (Producer<byte[], byte[]> writer = side.door().producer(ClosedClients.ofWriter(side))) {
            return new Calls()
                    .value(() -> writer.partitionsFor(side.besides()).size())
                    .value(() -> writer.partitionsFor("no name"))
                    .value(() -> writer.partitionsFor(null))
                    .toString();
        }
    }

    static String intercepted(Side side) {
        Map<String, Object> settings = ClosedClients.ofWriter(side);
        settings.put("max.request.size", Door.RECORD_LIMIT);
        Map<String, Object> seen = new HashMap<>();
        settings.put("interceptor.classes", List.of(Failing.class.getName(), Noting.class.getName()));
        settings.put(Noting.NOTES, seen);
        try (Producer<byte[], byte[]> writer = side.door().producer(settings)) {
            String sent = new Calls()
                    .value(() -> {
                        var future = writer.send(ClosedClients.record(side));
                        writer.flush();
                        return future.get().serializedValueSize();
                    })
                    .value(() -> ClosedClients.sent(writer.send(
                            new ProducerRecord<>(side.besides(), 0, null, new byte[Door.RECORD_LIMIT * 2]))))
                    .toString();
            return sent + " seen " + new java.util.TreeMap<>(seen);
        }
    }

    /** Fails in every call, which no caller of the producer notices. */
    public static final class Failing implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            throw new IllegalStateException("planted");
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
            throw new IllegalStateException("planted");
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> settings) {}
    }

    /** Makes values longer, and counts its calls. */
    public static final class Noting implements ProducerInterceptor<byte[], byte[]> {
        static final String NOTES = "noting.notes";

        private Map<String, Object> notes = Map.of();

        private synchronized void note(String what) {
            notes.merge(what, 1, (one, other) -> (Integer) one + (Integer) other);
        }

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            note("sent");
            byte[] longer = new byte[record.value().length + 1];
            return new ProducerRecord<>(record.topic(), record.partition(), record.key(), longer);
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception failure) {
            note((metadata == null ? "none" : metadata.partition()) + " "
                    + (failure == null ? "acknowledged" : "failed"));
        }

        @Override
        public void close() {}

        @Override
        @SuppressWarnings("unchecked") // the test's own map
        public void configure(Map<String, ?> settings) {
            notes = (Map<String, Object>) settings.get(NOTES);
        }
    }
}
