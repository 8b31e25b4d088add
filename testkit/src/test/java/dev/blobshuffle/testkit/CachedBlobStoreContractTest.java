package dev.blobshuffle.testkit;

import dev.blobshuffle.core.cache.CacheOptions;
import dev.blobshuffle.core.cache.Caches;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.settings.CacheUnit;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** The rules hold through a cache in memory and one on disk, both too small for what the tests read. */
class CachedBlobStoreContractTest extends BlobStoreContractTest {
    private static final SystemTime TIME = new SystemTime();

    @TempDir
    Path directory;

    @Override
    protected BlobStore open() {
        CacheOptions options = new CacheOptions(
                Zone.SINGLE, 1 << 20, List.of(directory), 2 << 20, CacheUnit.SECTION, CacheOptions.WhenWriting.KEEP);
        return Caches.before(new MemoryBlobStore("contract", 256 << 20), options, new ShuffleMetrics(), TIME);
    }

    @AfterAll
    static void end() {
        TIME.close();
    }
}
