package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatchScope;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The gates of a thread run one after another; their uploads must not. */
class ThreadLanesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void firstGateStartsTheUploadsOfAllLanesWithBatchesOfTheirOwn() throws Exception {
        CountDownLatch puts = new CountDownLatch(3);
        try (SystemTime time = new SystemTime();
                MemoryBlobStore memory = new MemoryBlobStore("lanes", 1 << 20);
                Engine engine = ShuffleEngine.builder(new CountingPuts(memory, puts), time)
                        .batching(BatcherOptions.builder()
                                .scope(BatchScope.LANE)
                                .delay(LONG)
                                .build())
                        .build()) {
            ThreadLanes lanes = new ThreadLanes(BatchScope.LANE);
            for (int task = 0; task < 3; task++) {
                Lane lane = engine.lane("task " + task, new Arrivals(Duration.ZERO, () -> {}));
                lanes.add(lane);
                lane.output(new Partition("t", 0), Zone.SINGLE).append(task, null, new byte[10], Headers.NONE);
            }

            lanes.startUploads();

            assertThat(puts.await(60, TimeUnit.SECONDS))
                    .as("a blob for each lane")
                    .isTrue();
        }
    }

    private static final class CountingPuts extends ForwardingBlobStore {
        private final CountDownLatch puts;

        CountingPuts(MemoryBlobStore store, CountDownLatch puts) {
            super(store);
            this.puts = puts;
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            puts.countDown();
            return store().put(id, content);
        }
    }
}
