package dev.blobshuffle.bench.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WriteGateTest {
    private final WriteGate gate = new WriteGate();

    @Test
    void itClosesWhenTheLastWriteHasEnded() throws Exception {
        gate.enter();
        gate.enter();
        gate.leave();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(gate::close);
        // Once a write is refused, the gate waits for the one that runs.
        CompletableFuture.runAsync(this::enterUntilItIsRefused).get(60, TimeUnit.SECONDS);
        assertThat(closed).isNotDone();
        gate.leave();
        closed.get(60, TimeUnit.SECONDS);
        gate.close();
    }

    private void enterUntilItIsRefused() {
        try {
            while (true) {
                gate.enter();
                gate.leave();
            }
        } catch (ClosedException e) {
            // As it should be.
        }
    }

    @Test
    void aStoreBehindAClosedGateIsNotWritten() {
        try (GatedBlobStore store = new GatedBlobStore(new MemoryBlobStore("gated", 1 << 20), gate)) {
            store.put(new BlobId(1, 1, 1), BlobContent.of(new byte[1]))
                    .toCompletableFuture()
                    .join();
            gate.close();
            assertThatThrownBy(() -> store.put(new BlobId(1, 1, 2), BlobContent.of(new byte[1]))
                            .toCompletableFuture()
                            .join())
                    .hasCauseInstanceOf(ClosedException.class);
            assertThat(store.list(0, 1).toCompletableFuture().join()).hasSize(1);
        }
    }
}
