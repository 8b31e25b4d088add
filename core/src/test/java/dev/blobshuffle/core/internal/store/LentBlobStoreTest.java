package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LentBlobStoreTest {
    @Test
    void closingItLeavesTheStoreOpen() {
        try (MemoryBlobStore store = new MemoryBlobStore("lent", 1024)) {
            new LentBlobStore(store).close();

            assertThat(store.generations(0).toCompletableFuture()).isCompletedWithValue(List.of());
        }
    }
}
