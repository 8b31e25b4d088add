package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.opening.TwoSpeedBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Notifications follow the fast copy; commits and answers follow the durable one. */
class EarlyBlobTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Partition P0 = new Partition("t", 0);
    private static final Zone A = new Zone("a");
    private static final StoreUnavailableException DOWN = new StoreUnavailableException("Cannot: the test says so.");

    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics metrics = new ShuffleMetrics();
    private final HeldBlobStore fast = new HeldBlobStore(new MemoryBlobStore("fast", 1 << 20));
    private final HeldBlobStore durable = new HeldBlobStore(new MemoryBlobStore("durable", 1 << 20));
    private final TwoSpeedBlobStore store = new TwoSpeedBlobStore(new StoreHalves(fast, durable), time, metrics);
    private final RecordingChannel channel = new RecordingChannel();
    private final List<Batcher> batchers = new ArrayList<>();

    @AfterEach
    void everyByteComesBack() {
        batchers.forEach(Batcher::close);
        fast.letGo();
        durable.letGo();
        batchers.forEach(batcher -> await("every byte").atMost(LONG).until(() -> batcher.usedBytes() == 0));
        store.close();
        time.close();
    }

    private Batcher batcher(BatcherOptions.Builder options) {
        Batcher batcher = new Batcher(store, options.delay(Duration.ofHours(1)).build(), time, metrics);
        batchers.add(batcher);
        return batcher;
    }

    private Batcher batcher() {
        return batcher(BatcherOptions.builder());
    }

    private static void append(Lane lane, int value) {
        lane.output(P0, A).append(1, null, new byte[] {(byte) value}, Headers.NONE);
    }

    private static CompletableFuture<Void> flush(Lane lane) {
        return CompletableFuture.runAsync(() -> lane.flush(LONG));
    }

    @Test
    void aFlushWaitsForTheDurableCopyAfterTheNotification() throws Exception {
        Batcher batcher = batcher();
        try (Lane lane = batcher.lane("lane", channel)) {
            append(lane, 1);
            CompletableFuture<Void> flushed = flush(lane);
            fast.put(0).succeed();
            channel.awaitSends(1);

            await().until(() -> metrics.value(Counter.NOTIFICATIONS_SENT) == 1);
            assertThat(flushed).isNotDone();
            assertThat(lane.isDrained()).isFalse();
            assertThat(batcher.usedBytes()).as("kept for another attempt").isPositive();
            assertThat(metrics.value(Counter.BLOBS_ANNOUNCED_EARLY)).isEqualTo(1);
            assertThat(metrics.value(Counter.BLOBS_STORED)).isZero();

            durable.put(0).succeed();
            flushed.join();
            assertThat(lane.isDrained()).isTrue();
            assertThat(metrics.value(Counter.BLOBS_STORED)).isEqualTo(1);
        }
    }

    @Test
    void withoutTheFastCopyTheNotificationFollowsTheDurableOne() throws Exception {
        try (Lane lane = batcher().lane("lane", channel)) {
            append(lane, 1);
            CompletableFuture<Void> flushed = flush(lane);
            fast.put(0).fail(DOWN);
            assertThat(channel.sends()).isZero();
            durable.put(0).succeed();
            flushed.join();
            assertThat(channel.sends()).isEqualTo(1);
            assertThat(metrics.value(Counter.BLOBS_ANNOUNCED_EARLY)).isZero();
        }
    }

    @Test
    void nothingIsCommittedOrSentIfTheDurableCopyFailsAfterTheFastOne() throws Exception {
        try (Lane lane = batcher().lane("lane", channel)) {
            append(lane, 1);
            CompletableFuture<Void> flushed = flush(lane);
            fast.put(0).succeed();
            channel.awaitSends(1);
            durable.put(0).fail(DOWN);

            assertThatThrownBy(flushed::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> append(lane, 2)).isInstanceOf(StoreUnavailableException.class);
            lane.discard();
            fast.letGo();
            durable.letGo();
            append(lane, 1);
            lane.flush(LONG);
            assertThat(channel.sends()).isEqualTo(2);
        }
    }

    /** Plain records after the notification would come twice, so the blob is stored again. */
    @Test
    void withAFallbackAnAnnouncedBlobIsStoredAgainUntilItIsTooLate() throws Exception {
        BatcherOptions.Builder options =
                BatcherOptions.builder().fallback(new BatcherOptions.Fallback(1 << 20, 1 << 20));
        try (Lane lane = batcher(options).lane("lane", channel)) {
            append(lane, 1);
            CompletableFuture<Void> flushed = flush(lane);
            fast.put(0).succeed();
            channel.awaitSends(1);
            durable.put(0).fail(DOWN);
            durable.put(1).succeed();
            flushed.join();
            assertThat(channel.sends()).isEqualTo(1);
        }
    }

    @Test
    void withAFallbackAnAnnouncedBlobThatIsTooLateFailsTheLane() throws Exception {
        BatcherOptions.Builder options = BatcherOptions.builder()
                .fallback(new BatcherOptions.Fallback(1 << 20, 1 << 20))
                .deliveryTimeout(Duration.ofMillis(300));
        try (Lane lane = batcher(options).lane("lane", channel)) {
            append(lane, 1);
            CompletableFuture<Void> flushed = flush(lane);
            fast.put(0).succeed();
            assertThatThrownBy(flushed::join).hasCauseInstanceOf(DeadlineExceededException.class);
            lane.discard();
        }
    }

    @Test
    void anAnswerWaitsForTheDurableCopy() throws Exception {
        channel.holdAcknowledgements();
        try (Lane lane = batcher().lane("lane", channel)) {
            append(lane, 1);
            lane.seal();
            fast.put(0).succeed();
            channel.awaitSends(1);
            Channel.Delivery delivery = channel.takeHeld();
            List<String> answers = new ArrayList<>();
            delivery.whenDurable(() -> answers.add("durable"), lost -> answers.add("lost"));
            delivery.delivered();
            assertThat(answers).isEmpty();
            durable.put(0).succeed();
            assertThat(answers).containsExactly("durable");
            delivery.whenDurable(() -> answers.add("late"), lost -> answers.add("lost"));
            assertThat(answers).containsExactly("durable", "late");
        }
    }

    /** As a producer's callbacks do. */
    @Test
    void answersOfAPartitionKeepTheirOrder() throws Exception {
        channel.holdAcknowledgements();
        try (Lane lane = batcher().lane("lane", channel)) {
            List<String> answers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                append(lane, i);
                lane.seal();
                fast.put(i).succeed();
                channel.awaitSends(i + 1);
                String name = "answer " + i;
                Channel.Delivery delivery = channel.takeHeld();
                delivery.whenDurable(() -> answers.add(name), lost -> answers.add("lost"));
                delivery.delivered();
            }
            durable.put(1).succeed();
            assertThat(answers).isEmpty();
            assertThat(lane.isDrained()).isFalse();
            durable.put(0).succeed();
            assertThat(answers).containsExactly("answer 0", "answer 1");
            await("the sending thread").atMost(LONG).until(lane::isDrained);
        }
    }

    @Test
    void anAnswerIsAFailureIfTheDurableCopyFailsOrTheLaneIsDiscarded() throws Exception {
        channel.holdAcknowledgements();
        try (Lane lane = batcher().lane("lane", channel)) {
            for (int round = 0; round < 2; round++) {
                append(lane, 1);
                lane.seal();
                fast.put(round).succeed();
                channel.awaitSends(round + 1);
                Channel.Delivery delivery = channel.takeHeld();
                List<String> answers = new ArrayList<>();
                delivery.whenDurable(() -> answers.add("durable"), lost -> answers.add(lost.getMessage()));
                if (round == 0) {
                    durable.put(0).fail(DOWN);
                }
                lane.discard();
                assertThat(answers).singleElement().asString().startsWith("Cannot");
                delivery.whenDurable(() -> answers.add("durable"), lost -> answers.add(lost.getMessage()));
                assertThat(answers).hasSize(2).doesNotContain("durable");
            }
        }
    }
}
