package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.failure.MemoryExhaustedException;
import dev.blobshuffle.core.failure.RecordTooLargeException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.RecordingChannel.Row;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BatcherTest {
    private static final int RACES = Integer.getInteger("race.rounds", 1_000);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Zone A = new Zone("a");
    private static final Zone B = new Zone("b");
    private static final Partition P0 = new Partition("t", 0);
    private static final Partition P1 = new Partition("t", 1);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore memory = new MemoryBlobStore("test", 1L << 30);
    private final HeldBlobStore held = new HeldBlobStore(memory);
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final RecordingChannel channel = new RecordingChannel();
    private final List<Batcher> batchers = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void everyByteComesBack() throws InterruptedException {
        batchers.forEach(Batcher::close);
        held.letGo();
        for (Batcher batcher : batchers) {
            awaitUsed(batcher, 0);
        }
        threads.shutdownNow();
        memory.close();
        time.close();
    }

    /** A worker may still be leaving a put when its test has ended. */
    private void awaitUsed(Batcher batcher, long most) throws InterruptedException {
        long deadline = time.nanos() + LONG.toNanos();
        while (true) {
            long seen = batcher.pool().released().count();
            if (batcher.usedBytes() <= most) {
                return;
            }
            assertThat(batcher.pool().released().await(seen, deadline))
                    .as("%s bytes came not back", batcher.usedBytes())
                    .isTrue();
        }
    }

    /** Blobs may be counted after their notifications are sent. */
    private void awaitCount(Counter counter, long count) {
        await(counter.name()).atMost(LONG).until(() -> metrics.value(counter), value -> value == count);
    }

    private static BatcherOptions.Builder quiet() {
        return BatcherOptions.builder().delay(HOUR).batchBytes(1 << 30);
    }

    private Batcher batcher(BatcherOptions.Builder options) {
        Batcher batcher = new Batcher(held, options.build(), time, metrics);
        batchers.add(batcher);
        return batcher;
    }

    private Batcher storing(BatcherOptions.Builder options) {
        held.letGo();
        return batcher(options);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void append(Lane lane, Partition partition, long timestamp, String key, String value) {
        lane.output(partition, A).append(timestamp, bytes(key), bytes(value), Headers.NONE);
    }

    private static Row row(long timestamp, String key, String value) {
        return new Row(timestamp, key, value);
    }

    private static List<Row> appendMany(Lane lane, Partition partition, int count, int seed) {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Row row = row(random.nextInt(1000) - 500, "k" + i, "v" + "x".repeat(random.nextInt(200)));
            append(lane, partition, row.timestamp(), row.key(), row.value());
            rows.add(row);
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void flushMakesEverythingReadableInOrder(Codec codec) {
        Lane lane = storing(quiet().codec(codec)).lane("lane", channel);
        List<Row> first = appendMany(lane, P0, 3000, 1);
        List<Row> second = appendMany(lane, P1, 10, 2);
        lane.flush(LONG);
        assertThat(lane.isDrained()).isTrue();
        assertThat(channel.rows(P0, held)).isEqualTo(first);
        assertThat(channel.rows(P1, held)).isEqualTo(second);
        awaitCount(Counter.BLOBS_STORED, 1);
        assertThat(metrics.value(Counter.RECORDS_APPENDED)).isEqualTo(3010);
        assertThat(channel.flushes()).isLessThanOrEqualTo(1);
        first.addAll(appendMany(lane, P0, 100, 3));
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(first);
    }

    @Test
    void nullsAndExtremeTimestampsSurvive() {
        Lane lane = storing(quiet()).lane("lane", channel);
        Lane.Output output = lane.output(P0, A);
        output.append(Long.MAX_VALUE, null, null, Headers.NONE);
        output.append(Long.MIN_VALUE, new byte[0], null, Headers.NONE);
        output.append(0, null, new byte[0], Headers.NONE);
        lane.flush(LONG);
        assertThat(channel.rows(P0, held))
                .containsExactly(
                        new Row(Long.MAX_VALUE, null, null), new Row(Long.MIN_VALUE, "", null), new Row(0, null, ""));
    }

    @Test
    void orderHoldsHoweverUploadsFinish() throws Exception {
        Batcher batcher = batcher(quiet());
        Lane lane = batcher.lane("lane", channel);
        List<Row> rows = new ArrayList<>();
        List<Row> others = new ArrayList<>();
        int batches = 20;
        for (int i = 0; i < batches; i++) {
            rows.addAll(appendMany(lane, P0, 5, i));
            if (i % 3 == 0) {
                others.addAll(appendMany(lane, P1, 2, i));
            }
            batcher.sealAll(SealReason.SIZE);
        }
        held.put(batches - 1);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(7));
        for (int i : order) {
            held.put(i).succeed();
        }
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
        assertThat(channel.rows(P1, held)).isEqualTo(others);
    }

    @Test
    void flushWaitsForUploadsInFlight() throws Exception {
        Batcher batcher = batcher(quiet());
        Lane lane = batcher.lane("lane", channel);
        append(lane, P0, 1, "k", "first");
        batcher.sealAll(SealReason.SIZE);
        HeldBlobStore.Put first = held.put(0);
        append(lane, P0, 2, "k", "second");
        Future<?> flush = threads.submit(() -> lane.flush(LONG));
        held.put(1).succeed();
        assertThat(flush.isDone()).isFalse();
        assertThat(channel.sends()).isZero();
        first.succeed();
        flush.get(60, TimeUnit.SECONDS);
        assertThat(channel.rows(P0, held)).containsExactly(row(1, "k", "first"), row(2, "k", "second"));
    }

    @Test
    void flushWaitsForAcknowledgements() throws Exception {
        Lane lane = storing(quiet()).lane("lane", channel);
        channel.holdAcknowledgements();
        append(lane, P0, 1, "k", "v");
        Future<?> flush = threads.submit(() -> lane.flush(LONG));
        channel.awaitSends(1);
        assertThat(lane.isDrained()).isFalse();
        assertThat(flush.isDone()).isFalse();
        channel.takeHeld().delivered();
        flush.get(60, TimeUnit.SECONDS);
        assertThat(lane.isDrained()).isTrue();
    }

    @Test
    void whatIsSentOutsideAFlushRequestsAFlushAndAFlushFlushes() throws Exception {
        Batcher batcher = storing(quiet());
        Lane lane = batcher.lane("lane", channel);
        append(lane, P0, 1, "k", "a");
        append(lane, P1, 1, "k", "b");
        batcher.sealAll(SealReason.SIZE);
        channel.awaitFlushRequest(2);
        append(lane, P0, 2, "k", "c");
        lane.flush(LONG);
        assertThat(channel.sends()).isEqualTo(3);
        assertThat(channel.flushRequestedAfter()).isEqualTo(2);
    }

    @Test
    void flushOfNothingTouchesNothing() {
        Lane lane = batcher(quiet()).lane("lane", channel);
        lane.output(P0, A);
        lane.flush(Duration.ZERO);
        assertThat(held.puts()).isZero();
        assertThat(channel.flushes()).isZero();
    }

    @Test
    void uploadThatEndsByItsDeadlineIsAFailureAndOneOnly() throws Exception {
        HeldBlobStore.Put late = putThatIsLate();
        long failures = metrics.value(Counter.UPLOAD_FAILURES);
        late.fail(new StoreUnavailableException("late"));
        assertThat(metrics.value(Counter.UPLOAD_FAILURES)).isEqualTo(failures).isPositive();
    }

    /**
     * A put whose lane has abandoned it. An upload that is late before it starts is not put at all,
     * so on a machine that pauses for a moment, the next attempt has more time.
     */
    private HeldBlobStore.Put putThatIsLate() throws InterruptedException {
        for (Duration allowed = Duration.ofMillis(20); ; allowed = allowed.multipliedBy(4)) {
            int puts = held.puts();
            Batcher batcher = batcher(quiet().deliveryTimeout(allowed));
            Lane lane = batcher.lane("lane", channel);
            append(lane, P0, 1, "k", "v");
            batcher.sealAll(SealReason.SIZE);
            assertThatThrownBy(() -> lane.flush(LONG))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("not stored in time");
            if (held.puts() > puts) {
                return held.put(puts);
            }
        }
    }

    @Test
    void flushFailsAtItsDeadlineAndTheFailureSticks() throws Exception {
        Batcher batcher = batcher(quiet());
        Lane lane = batcher.lane("lane", channel);
        append(lane, P0, 1, "k", "v");
        batcher.sealAll(SealReason.SIZE);
        // The put is running; an upload that is discarded before its start would not be put.
        HeldBlobStore.Put put = held.put(0);
        assertThatThrownBy(() -> lane.flush(Duration.ofMillis(20))).isInstanceOf(DeadlineExceededException.class);
        assertThatThrownBy(() -> append(lane, P0, 2, "k", "v")).isInstanceOf(DeadlineExceededException.class);
        assertThat(lane.failure()).isInstanceOf(DeadlineExceededException.class);
        lane.discard();
        put.succeed();
        assertThat(lane.failure()).isNull();
        assertThat(channel.sends()).isZero();
        awaitCount(Counter.BLOBS_ORPHANED, 1);
    }

    @Test
    void aFullSectionIsSealed() throws Exception {
        Lane lane = storing(quiet().batchBytes(100_000)).lane("lane", channel);
        List<Row> rows = appendMany(lane, P0, 5000, 1);
        channel.awaitSends(4);
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
        assertThat(metrics.value(Counter.BATCHES_SEALED_SIZE)).isBetween(4L, 8L);
        for (RecordingChannel.Sent sent : channel.sent(P0)) {
            assertThat(sent.notification().segmentLength()).isLessThan(101_000);
        }
    }

    @Test
    void theDelayBudgetSealsWithoutAnotherAppend() throws Exception {
        Lane lane = storing(quiet().delay(Duration.ofMillis(5))).lane("lane", channel);
        for (int i = 1; i <= 20; i++) {
            append(lane, P0, i, "k", "v" + i);
            channel.awaitSends(i);
        }
        assertThat(metrics.value(Counter.BATCHES_SEALED_DELAY)).isEqualTo(20);
        awaitCount(Counter.BLOBS_STORED, 20);
    }

    @Test
    void aFullBudgetSealsAndThenBlocksTheAppendUntilMemoryIsFree() throws Exception {
        Batcher batcher = batcher(quiet().bufferBytes(64 << 10).chunkBytes(8 << 10));
        Lane lane = batcher.lane("lane", channel);
        Future<List<Row>> appends = threads.submit(() -> appendMany(lane, P0, 3000, 1));
        held.put(0);
        assertThat(batcher.usedBytes()).isLessThanOrEqualTo(64 << 10);
        assertThat(appends.isDone()).isFalse();
        held.letGo();
        List<Row> rows = appends.get(60, TimeUnit.SECONDS);
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
        assertThat(metrics.value(Counter.BATCHES_SEALED_MEMORY)).isPositive();
        assertThat(metrics.value(Counter.APPEND_BLOCKED_TIME)).isPositive();
    }

    @Test
    void anAppendThatFindsNoMemoryInTimeFailsAndLosesNothingElse() throws Exception {
        Lane lane = batcher(quiet().bufferBytes(16 << 10).chunkBytes(8 << 10).maxBlock(Duration.ofMillis(20)))
                .lane("lane", channel);
        List<Row> rows = new ArrayList<>();
        assertThatThrownBy(() -> {
                    for (int i = 0; ; i++) {
                        append(lane, P0, i, "k" + i, "v".repeat(1000));
                        rows.add(row(i, "k" + i, "v".repeat(1000)));
                    }
                })
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessageContaining("write.buffer.bytes");
        assertThat(lane.failure()).isNull();
        held.letGo();
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
    }

    @Test
    void aForgottenOutputMakesRoomForAnother() throws Exception {
        Batcher batcher = storing(quiet().bufferBytes(16 << 10).chunkBytes(1 << 10));
        Lane lane = batcher.lane("lane", channel);
        for (int i = 0; i < 8; i++) {
            append(lane, new Partition("t", i), i, "k", "v");
        }
        lane.flush(LONG);
        Partition ninth = new Partition("t", 8);
        assertThatThrownBy(() -> append(lane, ninth, 8, "k", "v")).isInstanceOf(MemoryExhaustedException.class);
        assertThat(lane.forget(P0)).isTrue();
        append(lane, ninth, 8, "k", "v");
        lane.flush(LONG);
        assertThat(lane.forget(ninth)).isTrue();
        append(lane, P0, 9, "k", "again");
        lane.flush(LONG);
        assertThat(channel.rows(ninth, held)).containsExactly(row(8, "k", "v"));
        assertThat(channel.rows(P0, held)).containsExactly(row(0, "k", "v"), row(9, "k", "again"));
    }

    @Test
    void anOutputWithUnsealedRecordsIsNotForgotten() throws Exception {
        Lane lane = storing(quiet()).lane("lane", channel);
        append(lane, P0, 1, "k", "v");
        assertThat(lane.forget(P0)).isFalse();
        append(lane, P0, 2, "k", "w");
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(1, "k", "v"), row(2, "k", "w"));
        assertThat(lane.forget(P0)).isTrue();
        assertThat(lane.forget(P1)).isTrue();
    }

    @Test
    void unsealedRecordsOfAnotherLaneGiveWay() throws Exception {
        Batcher batcher = storing(quiet().bufferBytes(64 << 10).chunkBytes(8 << 10));
        Lane idle = batcher.lane("idle", channel);
        List<Row> idleRows = appendMany(idle, P1, 300, 5);
        Lane busy = batcher.lane("busy", channel);
        List<Row> rows = appendMany(busy, P0, 3000, 6);
        busy.flush(LONG);
        idle.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
        assertThat(channel.rows(P1, held)).isEqualTo(idleRows);
    }

    @Test
    void aRecordLargerThanAChunkHasMemoryOfItsOwnAndGivesItBack() throws Exception {
        Batcher batcher = storing(quiet());
        Lane lane = batcher.lane("lane", channel);
        String huge = "h".repeat(10 << 20);
        append(lane, P0, 1, "a", "small");
        append(lane, P0, 3, "b", huge);
        append(lane, P0, 2, "c", "small");
        lane.flush(LONG);
        assertThat(channel.rows(P0, held))
                .containsExactly(row(1, "a", "small"), row(3, "b", huge), row(2, "c", "small"));
        awaitUsed(batcher, 128 << 10);
    }

    @Test
    void aRecordLargerThanTheBudgetIsRefusedAtOnce() {
        Lane lane = storing(quiet().bufferBytes(1 << 20)).lane("lane", channel);
        assertThatThrownBy(() -> append(lane, P0, 1, "k", "v".repeat(2 << 20)))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("larger")
                .hasMessageContaining("write.buffer.bytes");
    }

    @Test
    void aRecordLargerThanTheLimitIsRefusedAloneThoughItFitsTheChunk() throws Exception {
        Lane lane = storing(quiet().recordBytes(2000)).lane("lane", channel);
        append(lane, P0, 1, "a", "small");
        assertThatThrownBy(() -> append(lane, P0, 2, "b", "v".repeat(2000)))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("record.max.bytes");
        assertThat(lane.failure()).isNull();
        append(lane, P0, 3, "c", "v".repeat(1900));
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(1, "a", "small"), row(3, "c", "v".repeat(1900)));
    }

    @Test
    void aFailedUploadFailsEveryLaneInItUntilDiscard() throws Exception {
        Batcher batcher = batcher(quiet());
        RecordingChannel otherChannel = new RecordingChannel();
        RecordingChannel thirdChannel = new RecordingChannel();
        Lane lane = batcher.lane("lane", channel);
        Lane other = batcher.lane("other", otherChannel);
        Lane third = batcher.lane("third", thirdChannel);
        append(lane, P0, 1, "k", "v");
        append(other, P0, 1, "k", "v");
        batcher.sealAll(SealReason.SIZE);
        StoreUnavailableException cause = new StoreUnavailableException("down");
        held.put(0).fail(cause);
        assertThat(lane.failure()).isInstanceOf(StoreUnavailableException.class).hasCause(cause);
        assertThatThrownBy(() -> append(other, P0, 2, "k", "v")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> other.flush(LONG)).isInstanceOf(StoreUnavailableException.class);
        assertThat(third.failure()).isNull();
        held.letGo();
        append(third, P0, 1, "k", "v");
        third.flush(LONG);
        lane.discard();
        append(lane, P0, 3, "k", "again");
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(3, "k", "again"));
        assertThat(otherChannel.sends()).isZero();
    }

    @Test
    void discardDuringAnUploadSendsNothingAndSparesOtherLanes() throws Exception {
        Batcher batcher = batcher(quiet());
        RecordingChannel otherChannel = new RecordingChannel();
        Lane lane = batcher.lane("lane", channel);
        Lane other = batcher.lane("other", otherChannel);
        append(lane, P0, 1, "k", "dropped");
        append(other, P0, 1, "k", "kept");
        batcher.sealAll(SealReason.SIZE);
        held.put(0);
        append(lane, P0, 2, "k", "dropped too");
        lane.discard();
        append(lane, P0, 3, "k", "new");
        batcher.sealAll(SealReason.SIZE);
        held.put(1).succeed();
        channel.awaitSends(1);
        held.put(0).succeed();
        otherChannel.awaitSends(1);
        lane.flush(LONG);
        other.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(3, "k", "new"));
        assertThat(otherChannel.rows(P0, held)).containsExactly(row(1, "k", "kept"));
    }

    @Test
    void twoLanesShareABlob() throws Exception {
        Batcher batcher = storing(quiet());
        RecordingChannel otherChannel = new RecordingChannel();
        Lane lane = batcher.lane("lane", channel);
        Lane other = batcher.lane("other", otherChannel);
        append(lane, P0, 1, "k", "v");
        append(other, P0, 1, "k", "v");
        lane.flush(LONG);
        otherChannel.awaitSends(1);
        assertThat(channel.sent(P0).get(0).notification().blob())
                .isEqualTo(otherChannel.sent(P0).get(0).notification().blob());
    }

    @Test
    void lanesKeepToThemselvesWhereTheBatchIsPerLane() throws Exception {
        Batcher batcher = storing(quiet().scope(BatchScope.LANE));
        RecordingChannel otherChannel = new RecordingChannel();
        Lane lane = batcher.lane("lane", channel);
        Lane other = batcher.lane("other", otherChannel);
        append(lane, P0, 1, "k", "v");
        append(other, P0, 1, "k", "v");
        lane.flush(LONG);
        assertThat(otherChannel.sends()).isZero();
        assertThat(other.isDrained()).isFalse();
    }

    @Test
    void zonesHaveSectionsOfTheirOwn() {
        Lane lane = storing(quiet()).lane("lane", channel);
        lane.output(P0, A).append(1, null, bytes("a"), Headers.NONE);
        lane.output(P1, B).append(1, null, bytes("b"), Headers.NONE);
        lane.flush(LONG);
        var inA = channel.sent(P0).get(0).notification();
        var inB = channel.sent(P1).get(0).notification();
        assertThat(inA.blob()).isEqualTo(inB.blob());
        assertThat(inA.sectionOffset()).isNotEqualTo(inB.sectionOffset());
    }

    @Test
    void aPartitionKeepsItsOrderWhenItsZoneChanges() throws Exception {
        Batcher batcher = batcher(quiet());
        Lane lane = batcher.lane("lane", channel);
        lane.output(P0, A).append(1, null, bytes("in a"), Headers.NONE);
        batcher.sealAll(SealReason.SIZE);
        lane.output(P0, B).append(2, null, bytes("in b"), Headers.NONE);
        batcher.sealAll(SealReason.SIZE);
        held.put(1).succeed();
        held.put(0).succeed();
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(new Row(1, null, "in a"), new Row(2, null, "in b"));
    }

    @Test
    void aSmallBatchGoesThroughTheChannelInTheSameOrder() throws Exception {
        Batcher batcher = batcher(quiet().inlineBytes(1000));
        Lane lane = batcher.lane("lane", channel);
        append(lane, P0, 1, "k", "v".repeat(2000));
        batcher.sealAll(SealReason.SIZE);
        append(lane, P0, 2, "k", "small");
        batcher.sealAll(SealReason.SIZE);
        held.put(0);
        assertThat(channel.sends()).isZero();
        held.letGo();
        lane.flush(LONG);
        assertThat(channel.sent(P0)).hasSize(2);
        assertThat(channel.sent(P0).get(1).plain()).containsExactly(row(2, "k", "small"));
        assertThat(metrics.value(Counter.RECORDS_INLINED)).isEqualTo(1);
        append(lane, P0, 3, "k", "small");
        lane.flush(LONG);
        assertThat(channel.sent(P0)).hasSize(3);
        awaitCount(Counter.BLOBS_STORED, 1);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void whileTheStoreIsDownRecordsGoThroughTheChannel(Codec codec) throws Exception {
        Batcher batcher = batcher(quiet().codec(codec).fallback(new BatcherOptions.Fallback(1L << 30, 1 << 20)));
        Lane lane = batcher.lane("lane", channel);
        List<Row> rows = appendMany(lane, P0, 1000, 1);
        batcher.sealAll(SealReason.SIZE);
        held.put(0).fail(new StoreUnavailableException("down"));
        channel.awaitSends(1);
        held.letGo();
        rows.addAll(appendMany(lane, P0, 1000, 2));
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).isEqualTo(rows);
        assertThat(metrics.value(Counter.RECORDS_FALLBACK)).isEqualTo(1000);
        awaitCount(Counter.BLOBS_STORED, 1);
    }

    @Test
    void recordsTooLargeForTheChannelWaitForTheStoreAndKeepTheOrder() throws Exception {
        Batcher batcher = batcher(quiet().fallback(new BatcherOptions.Fallback(1L << 30, 100_000)));
        Lane lane = batcher.lane("lane", channel);
        String large = "l".repeat(200_000);
        append(lane, P0, 1, "k", large);
        append(lane, P1, 1, "k", "small");
        batcher.sealAll(SealReason.SIZE);
        append(lane, P0, 2, "k", "behind");
        batcher.sealAll(SealReason.SIZE);
        held.put(1);
        held.put(0).fail(new StoreUnavailableException("down"));
        held.put(1).fail(new StoreUnavailableException("down"));
        channel.awaitSends(1);
        assertThat(channel.sent(P1)).hasSize(1);
        assertThat(channel.sent(P0)).isEmpty();
        held.put(2).succeed();
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(1, "k", large), row(2, "k", "behind"));
        assertThat(channel.rows(P1, held)).containsExactly(row(1, "k", "small"));
    }

    @Test
    void recordsThatAreNotEvenEncodedInTimeFallBackToo() throws Exception {
        CountDownLatch storeIsStuck = new CountDownLatch(1);
        ForwardingBlobStore stuck = new ForwardingBlobStore(held) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                try {
                    storeIsStuck.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return super.put(id, content);
            }
        };
        BatcherOptions options = quiet().workers(1)
                .deliveryTimeout(Duration.ofMillis(10))
                .fallback(new BatcherOptions.Fallback(1L << 30, 100_000))
                .build();
        try (Batcher batcher = new Batcher(stuck, options, time, metrics)) {
            Lane lane = batcher.lane("lane", channel);
            for (int i = 0; i < 2; i++) {
                append(lane, P0, i, "k", "v");
                batcher.sealAll(SealReason.SIZE);
            }
            // Runs on the thread that ran the deadlines before.
            Time.Cancellable ignored = time.schedule(Duration.ofMillis(20), storeIsStuck::countDown);
            channel.awaitSends(2);
            assertThat(lane.failure()).isNull();
            assertThat(channel.rows(P0, held)).extracting(Row::timestamp).containsExactly(0L, 1L);
        }
    }

    @Test
    void aRecordThatNeedsTheMemoryOnWhichItsOwnLaneStandsGetsIt() {
        Lane lane = storing(quiet().bufferBytes(16 << 10).chunkBytes(8 << 10).maxBlock(LONG))
                .lane("lane", channel);
        append(lane, P0, 1, "k", "small");
        assertTimeoutPreemptively(LONG.dividedBy(2), () -> {
            append(lane, P1, 2, "k", "v".repeat(15_600));
            lane.flush(LONG);
        });
        assertThat(channel.rows(P0, held)).hasSize(1);
        assertThat(channel.rows(P1, held)).hasSize(1);
    }

    @Test
    void anUploadOutOfTimeFailsItsLanesAndMayEndAsAnOrphan() throws Exception {
        putThatIsLate().succeed();
        awaitCount(Counter.BLOBS_ORPHANED, 1);
        assertThat(channel.sends()).isZero();
    }

    @Test
    void aChannelThatRefusesFailsTheLane() {
        Lane lane = storing(quiet()).lane("lane", channel);
        IllegalStateException cause = new IllegalStateException("fenced");
        channel.refuse(cause);
        append(lane, P0, 1, "k", "v");
        assertThatThrownBy(() -> lane.flush(LONG))
                .isInstanceOf(DeliveryFailedException.class)
                .hasCause(cause);
    }

    @Test
    void anAcknowledgementThatFailsFailsTheLane() throws Exception {
        Lane lane = storing(quiet()).lane("lane", channel);
        channel.holdAcknowledgements();
        append(lane, P0, 1, "k", "v");
        Future<?> flush = threads.submit(() -> lane.flush(LONG));
        channel.awaitSends(1);
        IllegalStateException cause = new IllegalStateException("lost");
        channel.takeHeld().failed(cause);
        assertThatThrownBy(() -> flush.get(60, TimeUnit.SECONDS)).hasRootCause(cause);
        assertThat(lane.failure()).isInstanceOf(DeliveryFailedException.class);
    }

    @Test
    void aLateAcknowledgementAfterDiscardChangesNothing() throws Exception {
        Batcher batcher = storing(quiet());
        Lane lane = batcher.lane("lane", channel);
        channel.holdAcknowledgements();
        append(lane, P0, 1, "k", "v");
        batcher.sealAll(SealReason.SIZE);
        channel.awaitSends(1);
        Channel.Delivery late = channel.takeHeld();
        lane.discard();
        append(lane, P0, 2, "k", "v");
        batcher.sealAll(SealReason.SIZE);
        channel.awaitSends(2);
        late.delivered();
        late.failed(new IllegalStateException("aborted"));
        assertThat(lane.failure()).isNull();
        assertThat(lane.isDrained()).isFalse();
        channel.takeHeld().delivered();
        lane.flush(LONG);
    }

    @Test
    void closeFailsLanesAndWakesAWaitingAppend() throws Exception {
        Batcher batcher = batcher(quiet().bufferBytes(16 << 10).chunkBytes(8 << 10));
        Lane lane = batcher.lane("lane", channel);
        Future<List<Row>> appends = threads.submit(() -> appendMany(lane, P0, 3000, 1));
        held.put(0);
        batcher.close();
        assertThatThrownBy(() -> appends.get(60, TimeUnit.SECONDS)).hasRootCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> batcher.lane("late", channel)).isInstanceOf(ClosedException.class);
        lane.close();
        lane.discard();
        assertThatThrownBy(() -> lane.flush(LONG)).isInstanceOf(ClosedException.class);
        batcher.close();
    }

    @Test
    void givingUpWakesAWaitingAppendAndSticksUntilDiscard() throws Exception {
        Batcher batcher = batcher(quiet().bufferBytes(16 << 10).chunkBytes(8 << 10));
        Lane lane = batcher.lane("lane", channel);
        Future<List<Row>> appends = threads.submit(() -> appendMany(lane, P0, 3000, 1));
        held.put(0);
        lane.giveUp();
        assertThatThrownBy(() -> appends.get(60, TimeUnit.SECONDS)).hasRootCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> lane.flush(LONG)).isInstanceOf(ClosedException.class);
        held.letGo();
        lane.discard();
        append(lane, P0, 1, "k", "v");
        lane.flush(LONG);
        assertThat(channel.rows(P0, held)).containsExactly(row(1, "k", "v"));
    }

    @Test
    void idleOutputsHoldNoMemoryAfterTwoFlushes() throws InterruptedException {
        Batcher batcher = storing(quiet().bufferBytes(256 << 20));
        Lane lane = batcher.lane("lane", channel);
        for (int i = 0; i < 1000; i++) {
            append(lane, new Partition("t", i), 1, "k", "v");
        }
        assertThat(batcher.usedBytes()).isLessThanOrEqualTo(1000 * (8 << 10));
        lane.flush(LONG);
        append(lane, P0, 2, "k", "v");
        lane.flush(LONG);
        awaitUsed(batcher, 64 << 10);
    }

    @Test
    void lanesThatFlushAtTheSameTimeShareABlob() throws Exception {
        Batcher batcher = storing(quiet());
        int rounds = 20;
        RecordingChannel otherChannel = new RecordingChannel();
        Lane lane = batcher.lane("lane", channel);
        Lane other = batcher.lane("other", otherChannel);
        var barrier = new CyclicBarrier(2);
        List<Future<?>> flushes = new ArrayList<>();
        for (Lane each : Arrays.asList(lane, other)) {
            flushes.add(threads.submit(() -> {
                for (int i = 0; i < rounds; i++) {
                    append(each, P0, i, "k", "v" + i);
                    barrier.await(60, TimeUnit.SECONDS);
                    each.flush(LONG);
                }
                return null;
            }));
        }
        for (Future<?> flush : flushes) {
            flush.get(60, TimeUnit.SECONDS);
        }
        assertThat(channel.rows(P0, held)).hasSize(rounds);
        assertThat(otherChannel.rows(P0, held)).hasSize(rounds);
        await("the last blob is counted")
                .atMost(LONG)
                .untilAsserted(
                        () -> assertThat(metrics.value(Counter.BLOBS_STORED)).isBetween((long) rounds, 2L * rounds));
    }

    @Test
    void aSegmentHoldsNoMoreRecordsThanPositionsReach() {
        Lane lane = storing(quiet()).lane("lane", channel);
        Lane.Output output = lane.output(P0, A);
        int count = 2 * Notification.MAX_RECORDS + 10;
        for (int i = 0; i < count; i++) {
            output.append(0, null, null, Headers.NONE);
        }
        lane.flush(LONG);
        int sum = 0;
        for (RecordingChannel.Sent sent : channel.sent(P0)) {
            assertThat(sent.notification().records()).isBetween(1, Notification.MAX_RECORDS);
            sum += sent.notification().records();
        }
        assertThat(sum).isEqualTo(count);
    }

    @Test
    void flushMissesNothingThatAnotherThreadSealsAtTheSameTime() throws Exception {
        Batcher batcher = storing(quiet());
        Lane lane = batcher.lane("lane", channel);
        AtomicBoolean stop = new AtomicBoolean();
        Future<?> sealer = threads.submit(() -> {
            while (!stop.get()) {
                batcher.sealAll(SealReason.SIZE);
            }
        });
        try {
            for (int round = 1; round <= RACES; round++) {
                append(lane, P0, round, "k", "v");
                lane.flush(LONG);
                assertThat(channel.sent(P0)).hasSize(round);
            }
        } finally {
            stop.set(true);
        }
        sealer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void noRecordIsLeftWithoutATimerWhenASealCrossesItsAppend() throws Exception {
        Batcher batcher = storing(quiet().delay(Duration.ofMillis(1)));
        Lane lane = batcher.lane("lane", channel);
        AtomicBoolean stop = new AtomicBoolean();
        Future<?> sealer = threads.submit(() -> {
            while (!stop.get()) {
                batcher.sealAll(SealReason.SIZE);
                Thread.yield();
            }
        });
        for (int round = 0; round < 200; round++) {
            append(lane, P0, round, "k", "v");
        }
        stop.set(true);
        sealer.get(60, TimeUnit.SECONDS);
        await("the timer's seal")
                .atMost(Duration.ofMinutes(2))
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .until(lane::isDrained);
        assertThat(channel.rows(P0, held)).hasSize(200);
    }
}
