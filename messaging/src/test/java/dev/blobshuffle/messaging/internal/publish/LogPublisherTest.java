package dev.blobshuffle.messaging.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.record.RecordCursor;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.TopicAbsentException;
import dev.blobshuffle.log.failure.WriterFencedException;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.log.internal.ReadRequest;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.SequencedBatch;
import dev.blobshuffle.log.internal.entries.Entries;
import dev.blobshuffle.log.internal.entries.EntriesCodec;
import dev.blobshuffle.log.internal.group.HomeZones;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.publish.Sequencer;
import dev.blobshuffle.messaging.Acknowledgement;
import dev.blobshuffle.messaging.Header;
import dev.blobshuffle.messaging.OutgoingRecord;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.TopicPartition;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import dev.blobshuffle.testkit.internal.log.MemoryDatabase;
import dev.blobshuffle.testkit.internal.log.MemoryLog;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogPublisherTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Zone ZONE = new Zone("a");

    private final SystemTime time = new SystemTime();
    private final MemoryDatabase database = new MemoryDatabase(time);
    private final MemoryLog log = new MemoryLog(database, time);
    private final MemoryBlobStore memory = new MemoryBlobStore("test", 64 << 20);
    private final AtomicBoolean isDown = new AtomicBoolean();
    private final AtomicInteger givenBack = new AtomicInteger();
    private final Sequencer sequencer = new Sequencer(log, time);
    private ShuffleEngine engine = engine(options());

    private static BatcherOptions.Builder options() {
        return BatcherOptions.builder().delay(Duration.ofMillis(20)).deliveryTimeout(LONG);
    }

    private ShuffleEngine engine(BatcherOptions.Builder options) {
        return ShuffleEngine.builder(
                        new ForwardingBlobStore(memory) {
                            @Override
                            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                                return isDown.get()
                                        ? CompletableFuture.failedFuture(new StoreUnavailableException("down"))
                                        : super.put(id, content);
                            }
                        },
                        time)
                .batching(options.build())
                .build();
    }

    private PublisherParts parts() {
        return new PublisherParts(
                log,
                new TopicCatalog(log, time),
                new TopicHomes(log, time),
                sequencer,
                engine,
                Duration.ofSeconds(20),
                time,
                publisher -> givenBack.incrementAndGet());
    }

    private LogPublisher<String, String> publisher(String name) {
        return LogPublisher.open(parts(), name, Serde.string(), Serde.string());
    }

    private LogTopic topic(String name, int partitions) {
        return log.topics()
                .create(name, partitions, new RetentionRule.Forever())
                .toCompletableFuture()
                .join()
                .orElseThrow();
    }

    @AfterEach
    void end() {
        sequencer.close();
        engine.close();
        log.close();
        time.close();
    }

    @Test
    void anAcknowledgedRecordIsInTheLog() throws Exception {
        topic("t", 4);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            CompletionStage<Acknowledgement> sent =
                    publisher.publish(new OutgoingRecord<>("t", "k", "v").at(7).toPartition(2));
            assertThat(get(sent)).isEqualTo(new Acknowledgement(new TopicPartition("t", 2), 7));
            publisher.flush(LONG);
            assertThat(segments("t")).hasSize(1);
            assertThat(segments("t").get(0).partition()).isEqualTo(2);
            assertThat(segments("t").get(0).latest()).isEqualTo(7);
        }
    }

    @Test
    void smallFlushesGoIntoTheLogItself() {
        engine.close();
        engine = engine(options().inlineBytes(25 * 1024));
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            for (int i = 0; i < 5; i++) {
                publisher.publish(new OutgoingRecord<>("t", "k", "v" + i)
                        .withHeaders(List.of(new Header("h", new byte[] {(byte) i}))));
            }
            publisher.flush(LONG);
        }
        assertThat(plain("t")).containsExactly("v0", "v1", "v2", "v3", "v4");
        assertThat(memory.usedBytes()).isZero();
    }

    @Test
    void recordsOfAKeyGoWhereKafkaPutsThem() throws Exception {
        topic("t", 7);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            for (int i = 0; i < 100; i++) {
                String key = "k".repeat(i % 9) + i;
                int expected = Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % 7;
                assertThat(get(publisher.publish("t", key, "v")).partition().partition())
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aTopicThatDoesNotExistIsRefusedAtOnce() {
        try (LogPublisher<String, String> publisher = publisher("p")) {
            assertThatThrownBy(() -> publisher.publish("none", "k", "v")).isInstanceOf(TopicAbsentException.class);
            topic("none", 1);
            publisher.publish("none", "k", "v");
            publisher.flush(LONG);
        }
        assertThat(segments("none")).hasSize(1);
    }

    @Test
    void aDeletedTopicFailsItsRecordsOnceAndItsSuccessorWorks() {
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            publisher.publish("t", "k", "1");
            publisher.flush(LONG);
            log.topics().delete("t").toCompletableFuture().join();
            CompletionStage<Acknowledgement> lost = publisher.publish("t", "k", "2");
            assertThatThrownBy(() -> publisher.flush(LONG)).isInstanceOf(TopicAbsentException.class);
            assertThatThrownBy(() -> get(lost)).isInstanceOf(TopicAbsentException.class);
            topic("t", 1);
            publisher.publish("t", "k", "3");
            publisher.flush(LONG);
        }
        assertThat(segments("t")).hasSize(1);
    }

    /** The new topic may lack the partition of a waiting record. */
    @Test
    void recordsThatWaitForAFormerTopicDoNotGoToItsSuccessor() throws Exception {
        engine.close();
        engine = engine(options().delay(Duration.ofHours(1))); // They wait until the flush.
        topic("t", 3);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            OutgoingRecord<String, String> record = new OutgoingRecord<>("t", "k", "v");
            CompletionStage<Acknowledgement> lost = publisher.publish(record.toPartition(2));
            log.topics().delete("t").toCompletableFuture().join();
            topic("t", 5);
            assertThatThrownBy(() -> publisher.publish(record.toPartition(4)))
                    .isInstanceOf(TopicAbsentException.class)
                    .hasMessageContaining("Flush");
            CompletionStage<Acknowledgement> follows = publisher.publish(record.toPartition(0));
            assertThatThrownBy(() -> publisher.flush(LONG)).isInstanceOf(TopicAbsentException.class);
            assertThatThrownBy(() -> get(lost)).isInstanceOf(TopicAbsentException.class);
            assertThatThrownBy(() -> get(follows)).isInstanceOf(TopicAbsentException.class);
            assertThat(segments("t")).isEmpty();

            CompletionStage<Acknowledgement> stored = publisher.publish(record.toPartition(4));
            publisher.flush(LONG);
            assertThat(get(stored).partition().partition()).isEqualTo(4);
        }
        assertThat(segments("t")).hasSize(1);
    }

    @Test
    void aSuccessorFencesThePublisher() {
        topic("t", 1);
        try (LogPublisher<String, String> first = publisher("p")) {
            first.publish("t", "k", "1");
            first.flush(LONG);
            try (LogPublisher<String, String> second = publisher("p")) {
                CompletionStage<Acknowledgement> lost = first.publish("t", "k", "2");
                assertThatThrownBy(() -> first.flush(LONG)).isInstanceOf(WriterFencedException.class);
                assertThatThrownBy(() -> get(lost)).isInstanceOf(WriterFencedException.class);
                assertThatThrownBy(() -> first.publish("t", "k", "3")).isInstanceOf(WriterFencedException.class);
                assertThatThrownBy(() -> first.publish("t", "k", "3")).isInstanceOf(WriterFencedException.class);
                second.publish("t", "k", "4");
                second.flush(LONG);
            }
        }
        assertThat(segments("t")).hasSize(2);
    }

    @Test
    void aLostBatchIsReportedAndThePublisherGoesOn() {
        engine.close();
        engine = engine(options().deliveryTimeout(Duration.ofSeconds(2)));
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            isDown.set(true);
            CompletionStage<Acknowledgement> lost = publisher.publish("t", "k", "1");
            assertThatThrownBy(() -> publisher.flush(LONG)).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> get(lost)).isInstanceOf(RuntimeException.class);
            isDown.set(false);
            publisher.publish("t", "k", "2");
            publisher.flush(LONG);
        }
        assertThat(segments("t")).hasSize(1);
    }

    @Test
    void aTransactionShowsItsRecordsWithItsCommitOnly() throws Exception {
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            try (LogTransaction transaction = publisher.beginTransaction()) {
                CompletionStage<Acknowledgement> rolledBack = publisher.publish("t", "k", "1");
                publisher.flush(LONG);
                publisher.abortTransaction();
                assertThatThrownBy(() -> get(rolledBack)).isInstanceOf(DeliveryFailedException.class);
                assertThat(transaction).isNotNull();
            }
            CompletionStage<Acknowledgement> committed;
            try (LogTransaction transaction = publisher.beginTransaction()) {
                committed = publisher.publish("t", "k", "2");
                publisher.flush(LONG);
                assertThat(committed.toCompletableFuture().isDone()).isFalse();
                assertThat(segments("t")).isEmpty();
                publisher.commitTransaction(transaction, Optional.empty());
            }
            get(committed);
            publisher.publish("t", "k", "3");
            publisher.flush(LONG);
        }
        assertThat(segments("t")).hasSize(2);
    }

    @Test
    void recordsAreGroupedForTheZoneOfTheirReaders() throws Exception {
        LogTopic topic = topic("t", 1);
        log.groups()
                .renew(new Member("g", UUID.randomUUID(), new Zone("b"), Set.of(topic.number())), Set.of())
                .toCompletableFuture()
                .join();
        TopicHomes.Homes homes = new TopicHomes(log, time).of(topic);
        HomeZones asked = homes.current(1);
        HomeZones known = homes.current(1);
        assertThat(asked).isNotNull();
        assertThat(known.zone(new LogPartition(topic.number(), 0))).isEqualTo(new Zone("b"));
        assertThat(homes.current(1)).isSameAs(known);
    }

    /**
     * Beside the serialized key and value, a publish costs only the record, its answer, and little
     * more.
     */
    @Test
    void aPublishAllocatesItsAnswerAndLittleElse() {
        for (int i = 0; i < 200; i++) {
            topic("other" + i, 1); // Small numbers are boxed without allocation; this topic's is not small.
        }
        topic("t", 8);
        try (LogPublisher<byte[], byte[]> publisher = LogPublisher.open(parts(), "p", Serde.bytes(), Serde.bytes())) {
            OutgoingRecord<byte[], byte[]> record = new OutgoingRecord<>("t", new byte[8], new byte[64])
                    .toPartition(3)
                    .at(1);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 30; round++) {
                least = Math.min(least, allocated(publisher, record, 2000));
                publisher.flush(LONG);
            }
            assertThat(least / 2000.0)
                    .as("bytes per publish, 32 of which are the answer")
                    .isLessThan(40);
        }
    }

    private static long allocated(
            LogPublisher<byte[], byte[]> publisher, OutgoingRecord<byte[], byte[]> record, int count) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < count; i++) {
            publisher.publish(record);
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** Publishing to a cached topic works while the log does not answer. */
    @Test
    void aKnownTopicNeedsNoAnswerOfTheLog() {
        topic("t", 1);
        TopicCatalog catalog = new TopicCatalog(log, new LateTime(time));
        catalog.require("t");
        log.close();
        assertThat(catalog.require("t").partitions()).isEqualTo(1);
    }

    @Test
    void closeFlushesAndALaterPublishFails() {
        topic("t", 1);
        LogPublisher<String, String> publisher = publisher("p");
        CompletionStage<Acknowledgement> sent = publisher.publish("t", "k", "v");
        publisher.close();
        publisher.close();
        assertThat(sent.toCompletableFuture()).succeedsWithin(LONG);
        assertThatThrownBy(() -> publisher.publish("t", "k", "v")).isInstanceOf(ClosedException.class);
        assertThat(segments("t")).hasSize(1);
    }

    @Test
    void anInterruptedThreadClosesAPublisherWithoutRecordsAndKeepsItsFlag() throws Exception {
        topic("t", 1);
        LogPublisher<String, String> publisher = publisher("p");
        CompletionStage<Acknowledgement> sent = publisher.publish(new OutgoingRecord<>("t", "k", "v"));
        publisher.flush(LONG);

        Thread.currentThread().interrupt();
        publisher.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(get(sent).partition()).isEqualTo(new TopicPartition("t", 0));
    }

    @Test
    void aCallbackMayPublish() throws Exception {
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            CompletionStage<Acknowledgement> chained =
                    publisher.publish("t", "k", "1").thenCompose(ignored -> publisher.publish("t", "k", "2"));
            get(chained);
        }
        assertThat(segments("t")).hasSize(2);
    }

    @Test
    void aWrongPartitionIsRefused() {
        topic("t", 2);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            assertThatThrownBy(() -> publisher.publish(new OutgoingRecord<>("t", "k", "v").toPartition(2)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("2 partitions");
        }
    }

    @Test
    void aPublisherUsesMoreTopicsThanItsBufferHasRoomFor() {
        engine.close();
        engine = engine(options().bufferBytes(64 << 10).chunkBytes(8 << 10));
        try (LogPublisher<String, String> publisher = publisher("p")) {
            for (int i = 0; i < 100; i++) {
                topic("t" + i, 1);
                publisher.publish("t" + i, "k", "v");
                publisher.flush(LONG);
            }
            publisher.publish("t0", "k", "again");
            publisher.flush(LONG);
        }
        assertThat(segments("t0")).hasSize(2);
        assertThat(segments("t99")).hasSize(1);
    }

    @Test
    void topicsWithoutRecordsAreForgottenOnceThereAreMany() throws Exception {
        List<CompletionStage<Acknowledgement>> waiting = new ArrayList<>();
        try (LogPublisher<String, String> publisher = publisher("p")) {
            try (LogTransaction transaction = publisher.beginTransaction()) {
                for (int i = 0; i < 700; i++) {
                    topic("t" + i, 1);
                    waiting.add(publisher.publish("t" + i, "k", "v"));
                }
                publisher.commitTransaction(transaction, Optional.empty());
            }
            for (CompletionStage<Acknowledgement> each : waiting) {
                get(each);
            }
            topic("last", 1);
            publisher.publish("last", "k", "v");
            publisher.flush(LONG);
            assertThat(publisher.topics()).isEqualTo(500);
            publisher.publish("t0", "k", "again");
            publisher.flush(LONG);
            assertThat(publisher.topics()).isEqualTo(500);
        }
        assertThat(segments("t0")).hasSize(2);
        assertThat(segments("t699")).hasSize(1);
    }

    @Test
    void eachCallLeavesThePublisherToOtherThreads() throws Exception {
        topic("t", 1);
        LogPublisher<String, String> publisher = publisher("p");
        publisher.flush(LONG);
        flushElsewhere(publisher);
        try (LogTransaction transaction = publisher.beginTransaction()) {
            CompletionStage<Acknowledgement> sent = publisher.publish("t", "k", "v");
            publisher.commitTransaction(transaction, Optional.empty());
            assertThat(get(sent).partition().topic()).isEqualTo("t");
        }
        flushElsewhere(publisher);
        try (LogTransaction transaction = publisher.beginTransaction()) {
            assertThat(transaction).isNotNull();
            publisher.abortTransaction();
        }
        flushElsewhere(publisher);
        publisher.close();
        assertThatThrownBy(() -> flushElsewhere(publisher)).hasRootCauseInstanceOf(ClosedException.class);
    }

    private static void flushElsewhere(LogPublisher<String, String> publisher) throws Exception {
        CompletableFuture.runAsync(() -> publisher.flush(LONG)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aClosedPublisherIsGivenBackOnceAndRefusesEachCall() {
        topic("t", 1);
        LogPublisher<String, String> publisher = publisher("p");
        publisher.close();
        publisher.close();
        assertThat(givenBack).hasValue(1);
        assertThatThrownBy(() -> publisher.flush(LONG)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(publisher::beginTransaction).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> publisher.publish("t", "k", "v")).isInstanceOf(ClosedException.class);
    }

    @Test
    void aFlushReturnsAfterTheCallbacksOfWhatItStored() {
        topic("t", 1);
        try (LogPublisher<String, String> publisher = publisher("p")) {
            AtomicInteger called = new AtomicInteger();
            for (int i = 0; i < 200; i++) {
                publisher.publish("t", "k", "v").thenRun(called::incrementAndGet);
            }
            publisher.flush(LONG);
            assertThat(called).hasValue(200);
        }
    }

    private static Acknowledgement get(CompletionStage<Acknowledgement> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | CompletionException e) {
            throw (Exception) e.getCause();
        }
    }

    private List<Entries.Run> runs(String name) {
        int number = log.topics()
                .find(name)
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .number();
        log.sequence(number).toCompletableFuture().join();
        List<Entries.Run> runs = new ArrayList<>();
        for (SequencedBatch batch : log.read(new ReadRequest(number, 0, 1000, 1 << 20, Optional.empty()))
                .toCompletableFuture()
                .join()) {
            runs.addAll(EntriesCodec.decode(batch.entries(), partition -> true).runs());
        }
        return runs;
    }

    private List<Entries.SegmentRun> segments(String name) {
        return runs(name).stream().map(Entries.SegmentRun.class::cast).toList();
    }

    private List<String> plain(String name) {
        List<String> values = new ArrayList<>();
        for (Entries.Run run : runs(name)) {
            RecordCursor cursor = new RecordCursor();
            ((Entries.PlainRun) run).reset(cursor);
            while (cursor.next()) {
                assertThat(cursor.headers().count()).isEqualTo(1);
                values.add(new String(cursor.value(), StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    /** A clock on which an hour passes between two reads. */
    private static final class LateTime extends ForwardingTime {
        private long hours;

        LateTime(Time time) {
            super(time);
        }

        @Override
        public long nanos() {
            return super.nanos() + Duration.ofHours(hours++).toNanos();
        }
    }
}
