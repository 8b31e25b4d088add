package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.time.SystemTime;

/** An engine over a store in memory. Close its clients first. */
final class MemoryEngine implements AutoCloseable {
    final SystemTime time = new SystemTime();
    private final MemoryBlobStore store = new MemoryBlobStore("consumers", 1 << 20);
    final Engine engine = ShuffleEngine.builder(store, time).build();

    @Override
    public void close() {
        engine.close();
        store.close();
        time.close();
    }
}
