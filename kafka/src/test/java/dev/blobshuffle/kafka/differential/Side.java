package dev.blobshuffle.kafka.differential;

import dev.blobshuffle.kafka.internal.position.VirtualOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** One side of a program: a topic, its clients, and its expected records. */
final class Side implements AutoCloseable {
    private final Door door;
    private final Setup setup;
    private final Map<String, Object> settings = new HashMap<>();
    private final Admin admin;
    private final String topic;
    private final String besides;
    private final SentLog log;
    private final long started;
    private final Readers readers;
    private @Nullable Writer plain;
    private @Nullable Writer transactional;
    private int partitions;

    /**
     * @param admin of this side, shared by programs
     * @param number part of the program's names
     * @param started the time of the program's start
     */
    Side(Door door, Setup setup, String bootstrap, Admin admin, long number, long started) {
        this.door = door;
        this.setup = setup;
        this.admin = admin;
        this.started = started;
        topic = door.topic(setup.batching(), number);
        besides = door.besides(setup.batching());
        log = new SentLog(setup.isolation());
        settings.put("bootstrap.servers", bootstrap);
        settings.putAll(door.settings(setup.batching()));
        readers = new Readers(door, consumers(), setup, topic, log, started);
        partitions = setup.partitions();
        createTopic();
        readers.open(partitions);
    }

    private Map<String, Object> consumers() {
        Map<String, Object> consumers = new HashMap<>(settings);
        consumers.put("group.id", "group-" + topic);
        consumers.put("enable.auto.commit", setup.habits().commitsItself());
        // A commit at any time would commit what a run happens to have read by then.
        consumers.put("auto.commit.interval.ms", 3_600_000);
        consumers.put("metadata.max.age.ms", 300);
        consumers.put("auto.offset.reset", setup.reset().name().toLowerCase(Locale.ROOT));
        consumers.put("isolation.level", setup.isolation().name().toLowerCase(Locale.ROOT));
        consumers.put("max.poll.records", setup.maxPollRecords());
        if (setup.membership() == Setup.Membership.CONSUMER) {
            consumers.put("group.protocol", "consumer");
        } else {
            consumers.put("heartbeat.interval.ms", 100);
            consumers.put("session.timeout.ms", 6000);
        }
        return consumers;
    }

    private Writer writer(boolean isTransactional) {
        Writer present = isTransactional ? transactional : plain;
        if (present != null) {
            return present;
        }
        Map<String, Object> producers = new HashMap<>(settings);
        producers.put("max.request.size", Door.RECORD_LIMIT);
        producers.put("max.block.ms", isTransactional ? 60_000 : 5000);
        producers.put("metadata.max.age.ms", 1000);
        // With more requests in flight, the log of a new topic may refuse the first batch and
        // accept the second, for good.
        producers.put("max.in.flight.requests.per.connection", 1);
        if (isTransactional) {
            producers.put("transactional.id", topic);
        }
        Writer made = new Writer(door.producer(producers), log, isTransactional, started);
        if (isTransactional) {
            transactional = made;
        } else {
            plain = made;
        }
        return made;
    }

    private void createTopic() {
        NewTopic made = new NewTopic(topic, partitions, (short) 1)
                .configs(Map.of("retention.ms", "-1", "message.timestamp.type", setup.timestamps().setting));
        Map<TopicPartition, OffsetSpec> ends = ends();
        await(
                "the deletion of " + topic,
                TopicExistsException.class,
                () -> admin.createTopics(List.of(made)).all().get());
        // Until a broker knows both, it may serve a deleted topic in place of its successor.
        await(
                "the leaders of " + topic,
                UnknownTopicOrPartitionException.class,
                () -> admin.listOffsets(ends).all().get().values().stream().allMatch(end -> end.offset() == 0));
    }

    private interface Call {
        @Nullable
        Object run() throws Exception;
    }

    private static void await(String what, Class<? extends Exception> passing, Call call) {
        Awaitility.await(what)
                .pollInSameThread()
                .pollDelay(java.time.Duration.ZERO)
                .pollInterval(java.time.Duration.ofMillis(5))
                .atMost(java.time.Duration.ofMinutes(1))
                .ignoreExceptionsMatching(e -> passing.isInstance(e.getCause()))
                .until(() -> {
                    return !Boolean.FALSE.equals(call.run());
                });
    }

    Readers readers() {
        return readers;
    }

    int partitions() {
        return partitions;
    }

    Door door() {
        return door;
    }

    Admin admin() {
        return admin;
    }

    String topic() {
        return topic;
    }

    /** A topic for records that no reader of the program reads. */
    String besides() {
        return besides;
    }

    TopicPartition first() {
        return new TopicPartition(topic, 0);
    }

    /** A partition that the topic does not have. */
    TopicPartition unknown() {
        return new TopicPartition(topic, 50);
    }

    /** Whether a transaction with records was aborted. */
    boolean hasAborted() {
        return log.hasAborted();
    }

    /** The settings of all clients. */
    Map<String, Object> clients() {
        return settings;
    }

    /** An offset of the first partition, named by its record. */
    String named(long offset) {
        return log.at(0, offset);
    }

    /** A partition that exists: calls that name another one would wait for it. */
    int existing(int partition) {
        return partition % partitions;
    }

    String send(boolean isTransactional, int number, Draft draft) {
        Writer other = isTransactional ? plain : transactional;
        String before = other != null && other.hasPending() ? other.flush() + ", " : "";
        Writer writer = writer(isTransactional);
        String flushed = draft.standsAlone() ? writer.flush() : "";
        String sent = writer.send(number, draft.record(topic, partition(draft), number, started));
        if (isTransactional && !writer.isInTransaction()) {
            writer.close();
            transactional = null;
            return before + sent;
        }
        return before + flushed + sent + (draft.standsAlone() ? writer.flush() : "");
    }

    /** A partition of the topic, or the one after the last. */
    private @Nullable Integer partition(Draft draft) {
        Integer drawn = draft.partition();
        if (drawn == null) {
            return null;
        }
        return switch (drawn) {
            case Draft.MISSING -> partitions;
            case Draft.NEWEST -> partitions - 1;
            default -> drawn % partitions;
        };
    }

    /** Flushes, so that all visible records can be read. */
    String flush() {
        String one = plain == null ? "" : plain.flush();
        return transactional == null ? one : one + " " + transactional.flush();
    }

    String begin() {
        return writer(true).begin();
    }

    String commit() {
        return settled(writer(true).commit());
    }

    String abort() {
        return settled(writer(true).abort());
    }

    /** Waits for the markers: a transaction ends for the producer before it ends for readers. */
    private String settled(String ended) {
        if (!isInTransaction()) {
            Map<TopicPartition, OffsetSpec> ends = ends();
            await(
                    "the markers in " + topic,
                    UnknownTopicOrPartitionException.class,
                    () -> offsets(ends, IsolationLevel.READ_COMMITTED)
                            .equals(offsets(ends, IsolationLevel.READ_UNCOMMITTED)));
        }
        return ended;
    }

    private List<Long> offsets(Map<TopicPartition, OffsetSpec> asked, IsolationLevel isolation) throws Exception {
        Map<TopicPartition, ListOffsetsResultInfo> found = admin.listOffsets(asked, new ListOffsetsOptions(isolation))
                .all()
                .get();
        return asked.keySet().stream()
                .map(partition -> found.get(partition).offset())
                .toList();
    }

    private Map<TopicPartition, OffsetSpec> ends() {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        return ends;
    }

    String sendOffsets(String metadata) {
        return Outcome.of(() -> writer(true).offsets(readers.positions(metadata), readers.group()));
    }

    boolean isInTransaction() {
        return transactional != null && transactional.isInTransaction();
    }

    /** Deletes the records before a given one. */
    String deleteRecords(int partition, int index) {
        return Outcome.of(() -> {
            List<Long> offsets = log.offsets(partition);
            TopicPartition asked = new TopicPartition(topic, partition);
            long before = offsets.isEmpty() ? 0 : offsets.get(index % offsets.size());
            long low = admin.deleteRecords(Map.of(asked, RecordsToDelete.beforeOffset(before)))
                    .lowWatermarks()
                    .get(asked)
                    .get()
                    .lowWatermark();
            return "deleted to " + log.at(partition, low);
        });
    }

    String addPartition() {
        return Outcome.of(() -> {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions + 1)))
                    .all()
                    .get();
            partitions++;
            await(
                    "the new leader",
                    UnknownTopicOrPartitionException.class,
                    () -> admin.listOffsets(Map.of(new TopicPartition(topic, partitions - 1), OffsetSpec.latest()))
                            .all()
                            .get());
            return readers.grow(partitions);
        });
    }

    /** Deletes and recreates the topic; producers stay open, consumers are reopened. */
    String makeAgain(int count) {
        return Outcome.of(() -> {
            // Natively, any later call may report that a transaction of the deleted topic has
            // failed.
            String flushed = isInTransaction() ? abort() : flush();
            readers.close();
            admin.deleteTopics(List.of(topic)).all().get();
            awaitDeletion();
            partitions = count;
            createTopic();
            log.clear();
            return flushed + readers.open(count);
        });
    }

    /** Until the broker has let go of its log, it may append to that of the deleted topic. */
    private void awaitDeletion() {
        await(
                "the end of the log of " + topic,
                KafkaException.class,
                () -> admin.describeLogDirs(List.of(0)).allDescriptions().get().get(0).values().stream()
                        .flatMap(directory -> directory.replicaInfos().keySet().stream())
                        .noneMatch(partition -> partition.topic().equals(topic)));
    }

    /** The offsets of topics, according to an admin. */
    String listOffsets(int partition, OffsetSpec spec) {
        return Outcome.of(() -> {
            TopicPartition asked = new TopicPartition(topic, partition);
            ListOffsetsResultInfo found = admin.listOffsets(Map.of(asked, spec))
                    .partitionResult(asked)
                    .get();
            return log.at(partition, found.offset());
        });
    }

    /** The first record at or after a time, according to an admin. */
    String listOffsetsAt(int partition, long time) {
        return Outcome.of(() -> {
            TopicPartition asked = new TopicPartition(topic, partition);
            IsolationLevel isolation = IsolationLevel.valueOf(setup.isolation().name());
            ListOffsetsResultInfo found = admin.listOffsets(
                            Map.of(asked, OffsetSpec.forTimestamp(time)), new ListOffsetsOptions(isolation))
                    .partitionResult(asked)
                    .get();
            return found.offset() < 0
                    ? "no record at " + time
                    : log.at(partition, found.offset(), found.timestamp(), started);
        });
    }

    /** Rewrites the commits unchanged, with an admin. */
    String rewriteCommits() {
        return Outcome.of(() -> {
            Map<TopicPartition, OffsetAndMetadata> commits = admin.listConsumerGroupOffsets("group-" + topic)
                    .partitionsToOffsetAndMetadata()
                    .get();
            if (!commits.isEmpty()) {
                admin.alterConsumerGroupOffsets("group-" + topic, commits).all().get();
            }
            return "rewritten " + commits.size();
        });
    }

    long at(Draft.Time time) {
        Long at = Draft.at(time, started);
        return at == null ? started : at;
    }

    /** Commits everything read, because partitions move. */
    String rebalance() {
        if (!setup.isGroup()) {
            return "no group";
        }
        readers.resumeAll();
        String committed = readers.commit(true);
        return committed + (readers.size() == 1 ? readers.join() : readers.leave());
    }

    String openAgain() {
        return Outcome.of(() -> {
            readers.close();
            return readers.open(partitions);
        });
    }

    /** The first record from an index on that is not in the same segment as its predecessor. */
    int segmentStart(int partition, int index) {
        List<Long> offsets = log.offsets(partition);
        if (offsets.isEmpty()) {
            return 0;
        }
        int start = index % offsets.size();
        while (start > 0 && VirtualOffset.real(offsets.get(start)) == VirtualOffset.real(offsets.get(start - 1))) {
            start--;
        }
        return start;
    }

    @Override
    public void close() {
        try (Writer one = plain;
                Writer other = transactional;
                Readers all = readers) {
            // Closed in this order.
        } catch (KafkaException e) {
            // The program has ended; the effects of broken clients were compared before.
        } finally {
            admin.deleteTopics(List.of(topic));
        }
    }
}
