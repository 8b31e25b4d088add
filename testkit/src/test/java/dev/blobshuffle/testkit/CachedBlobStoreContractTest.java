package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules hold through a cache in memory and one on disk, both too small for what the tests read.
 */
class CachedBlobStoreContractTest extends BlobStoreContractTest {
    private static final SystemTime TIME = new SystemTime();

    private static final AtomicInteger STORES = new AtomicInteger();

    @TempDir
    static Path directory;

    @Override
    protected BlobStore open() {
        CacheOptions options = new CacheOptions(
                Zone.SINGLE,
                1 << 20,
                List.of(directory.resolve("cache-" + STORES.incrementAndGet())),
                2 << 20,
                CacheUnit.SECTION,
                CacheOptions.WhenWriting.KEEP);
        return Caches.before(new MemoryBlobStore("contract", 256 << 20), options, new ShuffleMetrics(), TIME);
    }

    /**
     * A store's close does not wait for a write to its cache, which would be in the way of deleting
     * the directory.
     */
    @AfterAll
    static void end() throws InterruptedException {
        TIME.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("blobshuffle-cache-write")) {
                thread.join(TimeUnit.MINUTES.toMillis(1));
            }
        }
    }
}
