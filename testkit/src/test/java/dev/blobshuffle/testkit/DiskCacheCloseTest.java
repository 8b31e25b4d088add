package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.DiskCachedBlobStore;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a disk cache, with real threads. */
class DiskCacheCloseTest {
    @TempDir
    Path directory;

    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    /** Content on which the write to the disk waits, and the put does not. */
    private final class SlowContent implements BlobContent {
        private static final int LENGTH = 1000;

        @Override
        public long length() {
            return LENGTH;
        }

        @Override
        public List<ByteBuffer> buffers() {
            if (Thread.currentThread().getName().startsWith("blobshuffle-cache-write")) {
                began.countDown();
                try {
                    assertThat(mayGoOn.await(1, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError("a write under way is not interrupted", e);
                }
            }
            return List.of(ByteBuffer.allocate(LENGTH));
        }

        @Override
        public List<BlobSection> sections() {
            return List.of(new BlobSection(CacheFixture.A, 0, LENGTH));
        }

        @Override
        public void retain() {}

        @Override
        public void release() {}
    }

    @Test
    void closeWaitsForAWriteUnderWay() throws Exception {
        try (SystemTime time = new SystemTime()) {
            DiskCachedBlobStore store = new DiskCachedBlobStore(
                    new MemoryBlobStore("closed", 1 << 20),
                    CacheFixture.options(1, List.of(directory), 1 << 20, CacheUnit.SECTION),
                    new ShuffleMetrics(),
                    time);
            store.put(CacheFixture.id(1), new SlowContent())
                    .toCompletableFuture()
                    .get(1, TimeUnit.MINUTES);
            assertThat(began.await(1, TimeUnit.MINUTES)).isTrue();
            Thread closing = new Thread(store::close);
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING && closing.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            assertThat(closing.getState()).isEqualTo(Thread.State.TIMED_WAITING);
            mayGoOn.countDown();
            closing.join(60_000);
            assertThat(closing.isAlive()).isFalse();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".part") || name.endsWith(".tmp")))
                    .singleElement()
                    .asString()
                    .endsWith(".part");
        }
    }
}
