package dev.blobshuffle.kafka.differential;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** Calls of consumers that have groups of their own, rivals, or other settings than programs. */
final class OtherReaders {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private OtherReaders() {}

    private static Map<String, Object> group(Side side, String name) {
        Map<String, Object> settings = ClosedClients.ofReader(side);
        settings.put("group.id", name + side.topic());
        settings.remove("default.api.timeout.ms");
        settings.remove("request.timeout.ms");
        settings.put("heartbeat.interval.ms", 100);
        settings.put("session.timeout.ms", 6000);
        return settings;
    }

    private static void join(Consumer<byte[], byte[]> reader) {
        Awaitility.await("an assignment")
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> {
                    reader.poll(Duration.ofMillis(20));
                    return !reader.assignment().isEmpty();
                });
        reader.assignment().forEach(reader::position);
    }

    private static String pollUntilFailure(Consumer<byte[], byte[]> reader) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            String outcome = Outcome.of(() -> {
                reader.poll(Duration.ofMillis(20));
                return "";
            });
            if (!outcome.isEmpty()) {
                return outcome;
            }
        }
        return "does not fail";
    }

    /** Two static members with one id: the second replaces the first. */
    static String sameInstance(Side side) {
        Map<String, Object> settings = group(side, "static-");
        settings.put("group.instance.id", "one");
        try (Consumer<byte[], byte[]> first = side.door().consumer(settings);
                Consumer<byte[], byte[]> second = side.door().consumer(settings)) {
            first.subscribe(List.of(side.besides()));
            join(first);
            second.subscribe(List.of(side.besides()));
            join(second);
            return new Calls()
                    .value(() -> second.groupMetadata().groupInstanceId())
                    .value(() -> pollUntilFailure(first))
                    .effect(first::commitSync)
                    .effect(second::commitSync)
                    .toString();
        }
    }

    /** A member that did not poll in time, and was removed from its group. */
    static String late(Side side) {
        Map<String, Object> settings = group(side, "late-");
        settings.put("max.poll.interval.ms", 300);
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.subscribe(List.of(side.besides()));
            join(reader);
            Set<TopicPartition> had = reader.assignment();
            Awaitility.await("the removal")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> side.admin()
                            .describeConsumerGroups(List.of("late-" + side.topic()))
                            .all()
                            .get()
                            .get("late-" + side.topic())
                            .members()
                            .isEmpty());
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    Map.of(had.iterator().next(), new OffsetAndMetadata(0));
            Calls calls = new Calls().effect(() -> reader.commitSync(offsets)).effect(() -> join(reader));
            return calls.value(() -> reader.assignment().equals(had)).toString();
        }
    }

    /** A listener that closes its consumer. */
    static String closedInListener(Side side) {
        try (Consumer<byte[], byte[]> reader = side.door().consumer(group(side, "closing-"))) {
            reader.subscribe(List.of(side.besides()), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
                    reader.close();
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> revoked) {}
            });
            return new Calls()
                    .value(() -> pollUntilFailure(reader))
                    .value(reader::assignment)
                    .effect(reader::close)
                    .toString();
        }
    }

    static String unknownPattern(Side side) {
        Map<String, Object> settings = group(side, "pattern-");
        settings.remove("heartbeat.interval.ms");
        settings.remove("session.timeout.ms");
        settings.put("group.protocol", "consumer");
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            return new Calls()
                    .effect(() -> reader.subscribe(new SubscriptionPattern("")))
                    .effect(() -> reader.subscribe((SubscriptionPattern) null))
                    .effect(() -> reader.subscribe(new SubscriptionPattern("(")))
                    .value(() -> pollUntilFailure(reader))
                    .toString();
        }
    }

    /** The first query of a consumer does not wait, so it has no answer. */
    static String committedAtOnce(Side side) {
        try (Consumer<byte[], byte[]> reader = side.door().consumer(group(side, "at-once-"))) {
            reader.assign(List.of(side.first()));
            return new Calls()
                    .value(() -> reader.committed(Set.of(side.first()), Duration.ZERO))
                    .value(() -> reader.position(side.first(), Duration.ZERO))
                    .value(() -> reader.endOffsets(List.of(side.first()), Duration.ZERO)
                            .size())
                    .value(() -> reader.committed(Set.of(side.first())).get(side.first()))
                    .toString();
        }
    }

    /** Metrics of Kafka's groups without the tags of topics. */
    static String metrics(Side side) {
        try (Consumer<byte[], byte[]> reader = side.door().consumer(group(side, "metrics-"))) {
            Set<String> names = new TreeSet<>();
            for (MetricName name : reader.metrics().keySet()) {
                if (name.group().startsWith("consumer-") && name.tags().size() == 1) {
                    names.add(name.group() + " " + name.name());
                }
            }
            return names.toString();
        }
    }

    static String intercepted(Side side) {
        Map<String, Object> settings = group(side, "intercepted-");
        Map<String, Integer> seen = new ConcurrentHashMap<>();
        settings.put("interceptor.classes", Noting.class.getName());
        settings.put(Noting.NOTES, seen);
        try (Consumer<byte[], byte[]> reader = side.door().consumer(settings)) {
            reader.assign(List.of(new TopicPartition(side.topic(), 0)));
            reader.seekToEnd(List.of());
            return new Calls()
                            .value(() -> reader.position(side.first()) >= 0)
                            .value(() -> reader.poll(Duration.ofMillis(50)).count())
                            .value(() -> reader.poll(Duration.ZERO).count())
                            .effect(reader::commitSync)
                            .effect(reader::close)
                    + " seen " + new TreeMap<>(seen);
        }
    }

    /** Counts its calls. */
    public static final class Noting implements ConsumerInterceptor<byte[], byte[]> {
        static final String NOTES = "noting.notes";

        private Map<String, Integer> notes = Map.of();

        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            notes.merge("consumed", 1, Integer::sum);
            throw new IllegalStateException("planted");
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
            notes.merge("committed", 1, Integer::sum);
            throw new IllegalStateException("planted");
        }

        @Override
        public void close() {
            notes.merge("closed", 1, Integer::sum);
        }

        @Override
        @SuppressWarnings("unchecked") // the test's own map
        public void configure(Map<String, ?> settings) {
            notes = (Map<String, Integer>) settings.get(NOTES);
        }
    }
}
