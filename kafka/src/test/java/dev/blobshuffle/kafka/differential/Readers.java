package dev.blobshuffle.kafka.differential;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** The consumers of a side: one, or the members of a group. */
final class Readers implements AutoCloseable {
    /** Since Kafka 4.1. */
    private static final boolean HAS_CLOSE_OPTIONS =
            Consumer.class.getResource("/org/apache/kafka/clients/consumer/CloseOptions.class") != null;

    private static final int MOST_COMMITS = 50;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration ROUND = Duration.ofMillis(100);

    private final Door door;
    private final Map<String, Object> settings;
    private final Setup setup;
    private final String topic;
    private final SentLog log;
    private final long started;
    private final List<Consumer<byte[], byte[]>> members = new ArrayList<>();
    private int partitions;

    Readers(Door door, Map<String, Object> settings, Setup setup, String topic, SentLog log, long started) {
        this.door = door;
        this.settings = settings;
        this.setup = setup;
        this.topic = topic;
        this.log = log;
        this.started = started;
    }

    private List<TopicPartition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
    }

    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    String open(int count) {
        partitions = count;
        return join();
    }

    String join() {
        Map<String, Object> own = new HashMap<>(settings);
        own.put("client.id", "member-" + members.size());
        Consumer<byte[], byte[]> member = door.consumer(own);
        members.add(member);
        return Outcome.of(() -> {
            if (setup.isGroup()) {
                subscribe(member);
                return awaitAssignment();
            }
            member.assign(all());
            return "assigned";
        });
    }

    private void subscribe(Consumer<byte[], byte[]> member) {
        Listener listener = new Listener(member, setup.habits().listening());
        String quoted = "^" + topic + "$";
        switch (setup.habits().subscribing()) {
            case TOPIC -> member.subscribe(List.of(topic), listener);
            case PATTERN -> member.subscribe(Pattern.compile(quoted), listener);
            case BROKERS_PATTERN -> member.subscribe(new SubscriptionPattern(quoted), listener);
        }
    }

    /** The first member. */
    Consumer<byte[], byte[]> first() {
        return members.get(0);
    }

    /** Gives up all partitions, or all but one, and takes them again. */
    String takeAgain(boolean keepsOne) {
        return Outcome.of(() -> {
            if (setup.isGroup()) {
                first().unsubscribe();
                String given = first().assignment() + " of " + first().subscription();
                subscribe(first());
                return given + awaitAssignment();
            }
            if (keepsOne) {
                first().assign(List.of(partition(0)));
            } else {
                first().unsubscribe();
            }
            int left = first().assignment().size();
            first().assign(all());
            return left + " left" + awaitStart(first());
        });
    }

    /** Joins the group again, after a commit of everything read. */
    String enforced() {
        if (!setup.isGroup()) {
            return Outcome.of(() -> {
                first().enforceRebalance();
                return "enforced";
            });
        }
        resumeAll();
        return commit(true)
                + Outcome.of(() -> {
                    first().enforceRebalance("planned");
                    return awaitAssignment();
                });
    }

    /** The positions of all partitions. */
    String positions() {
        List<String> positions = new ArrayList<>();
        for (int number = 0; number < partitions; number++) {
            positions.add(position(number));
        }
        return positions.toString();
    }

    /** The first record of each partition at or after a time. */
    String times(long time) {
        Map<TopicPartition, Long> asked = new HashMap<>();
        all().forEach(each -> asked.put(each, time));
        Map<TopicPartition, OffsetAndTimestamp> found = first().offsetsForTimes(asked);
        List<String> answers = new ArrayList<>();
        for (TopicPartition each : all()) {
            OffsetAndTimestamp at = found.get(each);
            answers.add(at == null ? "none" : log.at(each.partition(), at.offset(), at.timestamp(), started));
        }
        return answers.toString();
    }

    /** The result of a call after a wakeup. The positions stay. */
    String wokenUp(BiConsumer<Consumer<byte[], byte[]>, Duration> call) {
        first().wakeup();
        String outcome = Outcome.of(() -> {
            call.accept(first(), Duration.ofSeconds(10));
            return "not woken up";
        });
        return outcome + " " + positions();
    }

    /** The result of a poll of an interrupted thread. */
    String interrupted() {
        Thread.currentThread().interrupt();
        String outcome = Outcome.of(() -> {
            first().poll(Duration.ofSeconds(10));
            return "not interrupted";
        });
        boolean isInterrupted = Thread.interrupted();
        return outcome + " " + isInterrupted + " " + positions();
    }

    private static String awaitStart(Consumer<byte[], byte[]> member) {
        member.assignment().forEach(member::position);
        return "";
    }

    int size() {
        return members.size();
    }

    String leave() {
        return Outcome.of(() -> {
            members.remove(members.size() - 1).close();
            return awaitAssignment();
        });
    }

    /** Raises the number of partitions. */
    String grow(int count) {
        partitions = count;
        return Outcome.of(() -> {
            if (setup.isGroup()) {
                return awaitAssignment();
            }
            members.get(0).assign(all());
            return "assigned";
        });
    }

    /** Polls until each partition has an owner, and returns the received records. */
    private String awaitAssignment() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Set<TopicPartition> paused = new HashSet<>();
        while (!isAssigned()) {
            for (Consumer<byte[], byte[]> member : members) {
                pause(member, paused);
                follow(member);
            }
            if (System.nanoTime() - deadline > 0) {
                return "not assigned: "
                        + members.stream().map(Consumer::assignment).toList();
            }
        }
        for (Consumer<byte[], byte[]> member : members) {
            Set<TopicPartition> own = new HashSet<>(member.assignment());
            own.retainAll(paused);
            member.resume(own);
            if (setup.reset() != Setup.Reset.NONE) {
                // The end may change later, and a commit includes all known positions.
                member.assignment().forEach(member::position);
            }
        }
        return "assigned";
    }

    /**
     * Polls without effect: arriving records are read again, and reads find a missing start again.
     */
    private static void follow(Consumer<byte[], byte[]> member) {
        try {
            ConsumerRecords<byte[], byte[]> early = member.poll(Duration.ofMillis(20));
            early.partitions()
                    .forEach(
                            each -> member.seek(each, early.records(each).get(0).offset()));
        } catch (NoOffsetForPartitionException e) {
            // Any poll may throw it.
        }
    }

    private static void pause(Consumer<byte[], byte[]> member, Set<TopicPartition> paused) {
        Set<TopicPartition> running = new HashSet<>(member.assignment());
        running.removeAll(member.paused());
        member.pause(running);
        paused.addAll(running);
    }

    private boolean isAssigned() {
        Set<TopicPartition> assigned = new HashSet<>();
        int count = 0;
        for (Consumer<byte[], byte[]> member : members) {
            Set<TopicPartition> own = member.assignment();
            if (own.isEmpty() && partitions >= members.size()) {
                return false;
            }
            assigned.addAll(own);
            count += own.size();
        }
        return count == partitions && assigned.equals(Set.copyOf(all()));
    }

    /** The member that owns a partition; the first member if there is none. */
    private Consumer<byte[], byte[]> owner(int partition) {
        return members.stream()
                .filter(member -> member.assignment().contains(partition(partition)))
                .findFirst()
                .orElse(members.get(0));
    }

    ConsumerGroupMetadata group() {
        return members.get(0).groupMetadata();
    }

    /** Reads everything, and returns the records of each partition in order. */
    String readAll() {
        return Outcome.of(() -> {
            Map<Integer, List<String>> records = new TreeMap<>();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            for (Consumer<byte[], byte[]> member : members) {
                while (!isAtEnd(member)) {
                    for (ConsumerRecord<byte[], byte[]> record : member.poll(ROUND)) {
                        add(record, records);
                    }
                    if (System.nanoTime() - deadline > 0) {
                        return "hangs after " + records;
                    }
                }
            }
            return records.toString();
        });
    }

    /**
     * Whether a member is at the end. A position beyond the end is not: a poll resets it, or fails.
     */
    private boolean isAtEnd(Consumer<byte[], byte[]> member) {
        Set<TopicPartition> running = new HashSet<>(member.assignment());
        running.removeAll(member.paused());
        Map<TopicPartition, Long> ends = member.endOffsets(running);
        return running.stream().allMatch(each -> member.position(each) == ends.get(each));
    }

    /** Reads some records of one partition, and stops after the last. */
    String take(int number, int count) {
        return Outcome.of(() -> {
            Consumer<byte[], byte[]> member = owner(number);
            TopicPartition wanted = partition(number);
            Set<TopicPartition> others = new HashSet<>();
            Map<Integer, List<String>> records = new TreeMap<>();
            if (member.paused().contains(wanted) || !member.assignment().contains(wanted)) {
                return "paused or not assigned";
            }
            long end = member.endOffsets(Set.of(wanted)).get(wanted);
            pause(member, others);
            member.resume(Set.of(wanted));
            others.remove(wanted);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            try {
                int taken = 0;
                while (taken < count && member.position(wanted) < end) {
                    for (ConsumerRecord<byte[], byte[]> record : member.poll(ROUND)) {
                        if (record.partition() != number) {
                            return "a record of " + record.partition() + ", which is paused";
                        }
                        if (taken < count && add(record, records)) {
                            taken++;
                            if (taken == count) {
                                member.seek(wanted, record.offset() + 1);
                            }
                        }
                    }
                    if (System.nanoTime() - deadline > 0) {
                        return "hangs after " + records;
                    }
                }
            } finally {
                member.resume(others);
            }
            return records.toString();
        });
    }

    /**
     * Adds a record. Leaves out records of aborted transactions, because a batch may never have had
     * them.
     */
    private boolean add(ConsumerRecord<byte[], byte[]> record, Map<Integer, List<String>> records) {
        int number = record.headers().lastHeader("#").value()[0] & 0xff;
        if (log.isAborted(number)) {
            return false;
        }
        records.computeIfAbsent(record.partition(), absent -> new ArrayList<>()).add(text(number, record));
        return true;
    }

    private String text(int number, ConsumerRecord<byte[], byte[]> record) {
        StringBuilder text = new StringBuilder("#" + number);
        text.append(' ').append(bytes(record.key())).append('=').append(bytes(record.value()));
        text.append(' ').append(record.serializedKeySize()).append('/').append(record.serializedValueSize());
        text.append(' ').append(record.timestampType()).append(' ');
        text.append(record.timestamp() >= started ? "now" : String.valueOf(record.timestamp()));
        for (Header header : record.headers()) {
            text.append(' ').append(header.key()).append(':').append(bytes(header.value()));
        }
        return text.toString();
    }

    private static String bytes(byte[] bytes) {
        return bytes == null ? "null" : bytes.length + "b" + Integer.toHexString(Arrays.hashCode(bytes));
    }

    String poll() {
        return Outcome.of(() -> {
            members.get(0).poll(Duration.ZERO);
            return "polled";
        });
    }

    String seek(int number, int index) {
        return Outcome.of(() -> {
            List<Long> offsets = log.offsets(number);
            long offset = offsets.isEmpty() ? 0 : offsets.get(index % offsets.size());
            owner(number).seek(partition(number), offset);
            return "sought " + position(number);
        });
    }

    /**
     * In a group not beyond the end: any poll may reset such a position, also one that waits for an
     * assignment.
     */
    String seekTo(int number, long offset) {
        return Outcome.of(() -> {
            Consumer<byte[], byte[]> owner = owner(number);
            TopicPartition sought = partition(number);
            boolean isBeyond = setup.isGroup()
                    && owner.assignment().contains(sought)
                    && owner.endOffsets(Set.of(sought)).get(sought) < offset;
            if (isBeyond) {
                owner.seekToEnd(Set.of(sought));
            } else {
                owner.seek(sought, offset);
            }
            return "sought " + position(number);
        });
    }

    String seekToBeginning(int number) {
        return Outcome.of(() -> {
            owner(number).seekToBeginning(Set.of(partition(number)));
            return "sought " + position(number);
        });
    }

    String seekToEnd(int number) {
        return Outcome.of(() -> {
            owner(number).seekToEnd(Set.of(partition(number)));
            return "sought " + position(number);
        });
    }

    String seekToTime(int number, long time) {
        return Outcome.of(() -> {
            Consumer<byte[], byte[]> owner = owner(number);
            OffsetAndTimestamp found =
                    owner.offsetsForTimes(Map.of(partition(number), time)).get(partition(number));
            if (found == null) {
                return "no record at " + time;
            }
            if (log.hasAborted()) { // Natively, the answer may be an aborted record.
                return log.at(number, found.offset(), found.timestamp(), started);
            }
            owner.seek(partition(number), found.offset());
            return log.at(number, found.offset(), found.timestamp(), started);
        });
    }

    String position(int number) {
        return Outcome.of(() -> log.at(number, owner(number).position(partition(number), PATIENCE)));
    }

    String ends(int number) {
        return Outcome.of(() -> {
            Set<TopicPartition> asked = Set.of(partition(number));
            Consumer<byte[], byte[]> owner = owner(number);
            return log.at(number, owner.beginningOffsets(asked).get(partition(number))) + " to "
                    + log.at(number, owner.endOffsets(asked).get(partition(number)));
        });
    }

    /** Compares lags only as zero or not, because some offsets have no record. */
    String lag(int number) {
        return Outcome.of(() -> {
            Consumer<byte[], byte[]> owner = owner(number);
            if (!owner.assignment().contains(partition(number))) {
                return String.valueOf(owner.currentLag(partition(number)));
            }
            return "asked";
        });
    }

    String commit(boolean waits) {
        return Outcome.of(() -> {
            List<String> calls = new ArrayList<>();
            for (Consumer<byte[], byte[]> member : members) {
                if (waits) {
                    member.commitSync();
                } else {
                    calls.add(commitInBackground(member));
                }
            }
            return "committed " + calls;
        });
    }

    /** As an application does: a coordinator that has just moved asks for the commit again. */
    private String commitInBackground(Consumer<byte[], byte[]> member) {
        Optional<Exception> last = Optional.empty();
        for (int i = 0; i < MOST_COMMITS && (i == 0 || isRetriable(last)); i++) {
            var ignored = member.committed(Set.of(partition(0))); // Resolves the coordinator.
            List<Optional<Exception>> answers = new ArrayList<>();
            member.commitAsync((offsets, failure) -> answers.add(Optional.ofNullable(failure)));
            member.commitSync(Map.of());
            if (answers.isEmpty()) {
                return "not called back";
            }
            last = answers.get(0);
        }
        return last.map(Outcome::failure).orElse("called back");
    }

    private static boolean isRetriable(Optional<Exception> failure) {
        return failure.filter(RetriableCommitFailedException.class::isInstance).isPresent();
    }

    String commit(int number, int index, String metadata) {
        return Outcome.of(() -> {
            List<Long> offsets = log.offsets(number);
            long offset = offsets.isEmpty() ? 0 : offsets.get(index % offsets.size()) + (index % 2);
            owner(number).commitSync(Map.of(partition(number), new OffsetAndMetadata(offset, metadata)));
            return "committed " + log.at(number, offset);
        });
    }

    /** The positions, with metadata, as a transaction commits them. */
    Map<TopicPartition, OffsetAndMetadata> positions(String metadata) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        Consumer<byte[], byte[]> member = members.get(0);
        for (TopicPartition each : member.assignment()) {
            positions.put(each, new OffsetAndMetadata(member.position(each), metadata));
        }
        return positions;
    }

    String committed(int number) {
        return Outcome.of(() -> {
            OffsetAndMetadata commit =
                    owner(number).committed(Set.of(partition(number))).get(partition(number));
            return commit == null ? "none" : log.at(number, commit.offset()) + " with '" + commit.metadata() + "'";
        });
    }

    String pause(int number, boolean pauses) {
        return Outcome.of(() -> {
            Consumer<byte[], byte[]> owner = owner(number);
            if (pauses) {
                owner.pause(Set.of(partition(number)));
            } else {
                owner.resume(Set.of(partition(number)));
            }
            return "paused " + numbers(owner.paused());
        });
    }

    private static Collection<Integer> numbers(Set<TopicPartition> partitions) {
        Set<Integer> numbers = new TreeSet<>();
        partitions.forEach(each -> numbers.add(each.partition()));
        return numbers;
    }

    void resumeAll() {
        for (Consumer<byte[], byte[]> member : members) {
            member.resume(member.paused());
        }
    }

    @Override
    public void close() {
        KafkaException failure = null;
        for (Consumer<byte[], byte[]> member : members) {
            try {
                close(member);
            } catch (KafkaException e) {
                failure = e;
            }
        }
        members.clear();
        if (failure != null) {
            throw failure;
        }
    }

    @SuppressWarnings("deprecation") // Kafka 4.0 has no other one.
    private static void close(Consumer<byte[], byte[]> member) {
        Duration patience = Duration.ofSeconds(5);
        if (HAS_CLOSE_OPTIONS) {
            member.close(CloseOptions.timeout(patience));
        } else {
            member.close(patience);
        }
    }
}
