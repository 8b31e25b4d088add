package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's consumer on a {@link SimulatedBroker}; subclasses implement the group protocol. It reads
 * committed records only. Commits and queries for commits can time out, a commit also after it has
 * taken effect. Owned by the simulated thread that uses it.
 */
abstract class SimulatedConsumer implements InvocationHandler {
    final SimulatedBroker broker;
    final SimulatedTime time;
    final SimulatedProcess process;
    final Set<Integer> assigned = new TreeSet<>();
    ConsumerRebalanceListener listener = new Silent();
    int member;
    private final SimulatedGroup group;
    private final BooleanSupplier isFaulty;
    private final Set<Integer> paused = new TreeSet<>();
    private final Map<Integer, Long> positions = new TreeMap<>();

    /** @param isFaulty whether the current request fails */
    SimulatedConsumer(
            SimulatedBroker broker,
            SimulatedGroup group,
            SimulatedTime time,
            SimulatedProcess process,
            BooleanSupplier isFaulty) {
        this.broker = broker;
        this.group = group;
        this.time = time;
        this.process = process;
        this.isFaulty = isFaulty;
        member = group.join(process.nanos());
    }

    /** A consumer of the group's protocol. */
    static Consumer<byte[], byte[]> of(
            SimulatedBroker broker,
            SimulatedGroup group,
            SimulatedTime time,
            SimulatedProcess process,
            BooleanSupplier isFaulty) {
        SimulatedConsumer consumer = group instanceof ClassicGroup classic
                ? new ClassicConsumer(broker, classic, time, process, isFaulty)
                : new ConsumerProtocolConsumer(broker, (ConsumerGroup) group, time, process, isFaulty);
        return consumer.client();
    }

    /** Simulates the background thread, at any call. */
    abstract void background();

    /**
     * The work of a poll before it fetches: callbacks, and in the classic protocol the rebalance.
     */
    abstract void rebalance();

    /** The partitions that are fetched now. */
    abstract Set<Integer> readable();

    /** The generation in commits. */
    abstract int generation();

    /**
     * @throws CommitFailedException or another failure, if a commit is rejected before the broker
     *     gets it
     */
    abstract void checkCommit();

    @SuppressWarnings("unchecked") // The proxy implements it.
    private Consumer<byte[], byte[]> client() {
        return (Consumer<byte[], byte[]>)
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Consumer.class}, this);
    }

    private static final class Silent implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
    }

    @Override
    @SuppressWarnings("unchecked") // Kafka's types.
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        if (time.random(4) == 0) {
            background();
        }
        switch (method.getName()) {
            case "poll":
                return poll((Duration) arguments[0]);
            case "assignment":
                return kafka(assigned);
            case "subscription":
                return Set.of(broker.topic());
            case "subscribe":
                listener = (ConsumerRebalanceListener) arguments[1];
                return null;
            case "committed":
                return committed((Set<TopicPartition>) arguments[0]);
            case "commitSync":
                commitSync((Map<TopicPartition, OffsetAndMetadata>) arguments[0]);
                return null;
            case "commitAsync":
                commitAsync((Map<TopicPartition, OffsetAndMetadata>) arguments[0], (OffsetCommitCallback) arguments[1]);
                return null;
            case "seek":
                seek((TopicPartition) arguments[0], arguments[1]);
                return null;
            case "seekToBeginning":
                numbers((Collection<TopicPartition>) arguments[0])
                        .forEach(partition -> positions.put(partition, broker.start(partition)));
                return null;
            case "pause":
                paused.addAll(numbers((Collection<TopicPartition>) arguments[0]));
                return null;
            case "resume":
                paused.removeAll(numbers((Collection<TopicPartition>) arguments[0]));
                return null;
            case "paused":
                return kafka(paused);
            case "position":
                return position((TopicPartition) arguments[0]);
            case "currentLag":
                return OptionalLong.empty();
            case "groupMetadata":
                return metadata();
            case "close":
                group.fence(member);
                return null;
            default:
                throw new UnsupportedOperationException(method.toString());
        }
    }

    @SuppressWarnings("deprecation") // Only a consumer may make one.
    private ConsumerGroupMetadata metadata() {
        return new ConsumerGroupMetadata("group", generation(), String.valueOf(member), Optional.empty());
    }

    final Set<TopicPartition> kafka(Set<Integer> partitions) {
        return partitions.stream().map(broker::kafka).collect(Collectors.toSet());
    }

    /** Rejects unassigned partitions, as Kafka does. */
    private List<Integer> numbers(Collection<TopicPartition> partitions) {
        List<Integer> numbers = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            if (!assigned.contains(partition.partition())) {
                throw new IllegalStateException("No current assignment for partition " + partition);
            }
            numbers.add(partition.partition());
        }
        return numbers;
    }

    final void forget(Set<Integer> partitions) {
        paused.removeAll(partitions);
        positions.keySet().removeAll(partitions);
        assigned.removeAll(partitions);
    }

    private ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        long deadline = process.nanos() + timeout.toNanos();
        while (true) {
            background();
            rebalance();
            ConsumerRecords<byte[], byte[]> fetched = fetch();
            long left = deadline - process.nanos();
            if (!fetched.nextOffsets().isEmpty() || left <= 0) {
                return fetched;
            }
            time.pause(Duration.ofNanos(Math.min(left, 1 + time.random(20_000_000))));
        }
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        Set<Integer> readable = new TreeSet<>(readable());
        readable.removeAll(paused);
        for (int partition : readable) {
            if (!hasPosition(partition) || time.random(3) == 0) {
                continue;
            }
            long from = Math.max(positions.get(partition), broker.start(partition));
            long end = Math.min(broker.stableEnd(partition), from + 1 + time.random(5));
            List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
            for (long offset = from; offset < end; offset++) {
                ProducerRecord<byte[], byte[]> sent = broker.record(partition, offset);
                if (sent != null) {
                    read.add(record(partition, offset, sent));
                }
            }
            if (from < end) {
                positions.put(partition, end);
                next.put(broker.kafka(partition), new OffsetAndMetadata(end));
            }
            if (!read.isEmpty()) {
                records.put(broker.kafka(partition), read);
            }
        }
        return new ConsumerRecords<>(records, next);
    }

    private static ConsumerRecord<byte[], byte[]> record(
            int partition, long offset, ProducerRecord<byte[], byte[]> sent) {
        int keySize = sent.key() == null ? -1 : sent.key().length;
        int valueSize = sent.value() == null ? -1 : sent.value().length;
        return new ConsumerRecord<>(
                sent.topic(),
                partition,
                offset,
                sent.timestamp(),
                TimestampType.CREATE_TIME,
                keySize,
                valueSize,
                sent.key(),
                sent.value(),
                sent.headers(),
                Optional.of(1));
    }

    /** Kafka's consumer queries commits by itself, which takes time. */
    private boolean hasPosition(int partition) {
        if (!positions.containsKey(partition)) {
            if (time.random(3) == 0 || !broker.isCommitStable(partition)) {
                return false;
            }
            OffsetAndMetadata commit = broker.committed(partition);
            positions.put(partition, commit == null ? broker.start(partition) : commit.offset());
        }
        return true;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> asked) {
        time.pause();
        if (isFaulty.getAsBoolean()) {
            background();
            throw new TimeoutException("The coordinator does not answer.");
        }
        if (!asked.stream().allMatch(partition -> broker.isCommitStable(partition.partition()))) {
            time.pause(Duration.ofNanos(time.random(20_000_000)));
            throw new TimeoutException("A transaction is about to commit an offset.");
        }
        Map<TopicPartition, OffsetAndMetadata> answer = new HashMap<>();
        asked.forEach(partition -> answer.put(partition, broker.committed(partition.partition())));
        return answer;
    }

    private void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        time.pause(Duration.ofNanos(time.random(5_000_000)));
        boolean isLate = isFaulty.getAsBoolean();
        if (isLate && time.random(2) == 0) {
            throw new TimeoutException("The coordinator does not answer.");
        }
        commit(offsets);
        if (isLate) {
            throw new TimeoutException("The coordinator's answer was lost.");
        }
    }

    private void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        Exception failure = null;
        try {
            commit(offsets);
        } catch (CommitFailedException | RebalanceInProgressException e) {
            failure = e;
        }
        callback.onComplete(offsets, failure);
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        checkCommit();
        if (!group.isCurrent(member, generation())) {
            throw new CommitFailedException("The member was fenced.");
        }
        offsets.forEach((partition, offset) -> broker.commit(partition.partition(), offset));
    }

    private void seek(TopicPartition partition, Object to) {
        long offset = to instanceof OffsetAndMetadata given ? given.offset() : (Long) to;
        numbers(new HashSet<>(List.of(partition))).forEach(number -> positions.put(number, offset));
    }

    private long position(TopicPartition partition) {
        numbers(List.of(partition));
        if (!hasPosition(partition.partition())) {
            throw new TimeoutException("The position is not known yet.");
        }
        return positions.get(partition.partition());
    }
}
