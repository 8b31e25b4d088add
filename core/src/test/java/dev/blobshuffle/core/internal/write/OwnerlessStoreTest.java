package dev.blobshuffle.core.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.util.Throwables.getStackTrace;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.failure.DeadlineExceededException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.seal.SealReason;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records whose blobs have no owner yet, so they cannot be stored. */
class OwnerlessStoreTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Partition P0 = new Partition("t", 0);

    private final SystemTime time = new SystemTime();
    private final MemoryBlobStore memory = new MemoryBlobStore("ownerless", 1L << 30);
    private final CompletableFuture<Integer> owner = new CompletableFuture<>();
    private final RecordingChannel channel = new RecordingChannel();
    private volatile CompletionStage<Integer> answer = owner;

    private final ForwardingBlobStore store = new ForwardingBlobStore(memory) {
        @Override
        public CompletionStage<Integer> owner() {
            CompletionStage<Integer> now = answer;
            answer = owner;
            return now;
        }
    };

    @AfterEach
    void close() {
        memory.close();
        time.close();
    }

    private Batcher batcher(BatcherOptions.Builder options) {
        return new Batcher(store, options.delay(Duration.ofHours(1)).build(), time, new ShuffleMetrics());
    }

    private static void append(Lane lane, String value) {
        lane.output(P0, Zone.SINGLE).append(1, null, value.getBytes(StandardCharsets.UTF_8), Headers.NONE);
    }

    @Test
    void recordsWaitUntilTheBlobCanBeNamed() {
        try (Batcher batcher = batcher(BatcherOptions.builder());
                Lane lane = batcher.lane("lane", channel)) {
            append(lane, "v");
            batcher.sealAll(SealReason.SIZE);
            assertThat(memory.usedBytes()).isZero();
            owner.complete(0xC0DE);
            lane.flush(LONG);
            assertThat(memory.owners().toCompletableFuture().join()).containsExactly(0xC0DE);
            assertThat(channel.sent(P0))
                    .singleElement()
                    .satisfies(sent ->
                            assertThat(sent.notification().blob().owner()).isEqualTo(0xC0DE));
        }
    }

    @Test
    void withoutAnOwnerInTimeRecordsFallBack() throws Exception {
        try (Batcher batcher = batcher(BatcherOptions.builder()
                .deliveryTimeout(Duration.ofMillis(10))
                .fallback(new BatcherOptions.Fallback(1L << 30, 100_000)))) {
            try (Lane lane = batcher.lane("lane", channel)) {
                append(lane, "v");
                batcher.sealAll(SealReason.SIZE);
                channel.awaitSends(1);
                lane.flush(LONG);
                assertThat(lane.failure()).isNull();
            }
            assertThat(channel.sent(P0))
                    .singleElement()
                    .satisfies(sent -> assertThat(sent.plain()).hasSize(1));
            await("memory").atMost(LONG).until(() -> batcher.usedBytes() == 0);
            owner.complete(0xC0DE); // Too late: the blob is no longer needed.
        }
        assertThat(memory.usedBytes()).isZero();
    }

    /**
     * On a machine that stands still before the store is asked for the owner, the time is over
     * before the reason is known: that says nothing, and is done again with more time.
     */
    @Test
    void withoutAnOwnerInTimeTheLaneFailsAndSaysWhatIsMissing() {
        for (Duration allowed = Duration.ofMillis(10); !saysWhatIsMissing(allowed); allowed = allowed.multipliedBy(4)) {
            assertThat(allowed).as("enough to ask for the owner").isLessThan(LONG);
        }
        assertThat(memory.usedBytes()).isZero();
    }

    private boolean saysWhatIsMissing(Duration allowed) {
        answer = CompletableFuture.failedFuture(new StoreUnavailableException("Grant Write on topic claims."));
        try (Batcher batcher = batcher(BatcherOptions.builder().deliveryTimeout(allowed));
                Lane lane = batcher.lane("lane", channel)) {
            append(lane, "v");
            Throwable thrown = catchThrowable(() -> lane.flush(LONG));
            assertThat(thrown).isInstanceOf(DeadlineExceededException.class);
            return getStackTrace(thrown).contains("Grant Write on topic claims.");
        }
    }

    @Test
    void withoutAnOwnerInTimeRecordsTooLargeForTheChannelFailTheLane() {
        try (Batcher batcher = batcher(BatcherOptions.builder()
                        .chunkBytes(8192)
                        .deliveryTimeout(Duration.ofMillis(10))
                        .fallback(new BatcherOptions.Fallback(1L << 30, 8192)));
                Lane lane = batcher.lane("lane", channel)) {
            append(lane, "v".repeat(10_000));
            assertThatThrownBy(() -> lane.flush(LONG)).isInstanceOf(DeadlineExceededException.class);
        }
        assertThat(channel.sent(P0)).isEqualTo(List.of());
    }
}
