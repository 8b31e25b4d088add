package dev.blobshuffle.bench.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.testkit.LoanCheck;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The store of measured instances. */
class ObservedStoreProviderTest {
    private static final int BYTES = 64;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void close() {
        time.close();
    }

    private BlobStore open(long faults) {
        return BlobStores.open(ObservedStoreProvider.uri("file://" + directory + "?fsync=none", faults), time);
    }

    private static BlobId id(int sequence) {
        return new BlobId(1, 2, sequence);
    }

    private void put(BlobStore store, int sequence) {
        var content = loans.content(new byte[BYTES]);
        try {
            store.put(id(sequence), content).toCompletableFuture().join();
        } finally {
            content.release();
        }
    }

    @Test
    void requestsThatSucceedAreTimed() {
        try (BlobStore store = open(0)) {
            StoreLatencies.OF_THIS_PROCESS.puts();
            StoreLatencies.OF_THIS_PROCESS.gets();
            put(store, 1);
            try (BlobBytes bytes = store.get(id(1), BlobRange.of(0, BYTES))
                    .toCompletableFuture()
                    .join()) {
                assertThat(bytes.buffer().remaining()).isEqualTo(BYTES);
            }
            assertThatThrownBy(() -> store.get(id(9), BlobRange.of(0, BYTES))
                            .toCompletableFuture()
                            .join())
                    .isInstanceOf(CompletionException.class);

            assertThat(StoreLatencies.OF_THIS_PROCESS.puts().getTotalCount()).isEqualTo(1);
            assertThat(StoreLatencies.OF_THIS_PROCESS.gets().getTotalCount()).isEqualTo(1);
            assertThat(StoreLatencies.OF_THIS_PROCESS.gets().getTotalCount())
                    .as("since it was asked last")
                    .isZero();
        }
    }

    @Test
    void storeBehindItKeepsItsName() {
        try (BlobStore store = open(0);
                BlobStore plain = BlobStores.open("file://" + directory + "?fsync=none", time)) {
            assertThat(store.location()).isEqualTo(plain.location());
            assertThat(store.fingerprint()).isEqualTo(plain.fingerprint());
            put(store, 1);
            assertThat(store.length(id(1)).toCompletableFuture().join()).isEqualTo(BYTES);
        }
    }

    @Test
    void faultsBeginAfterTheCheckAtTheStart() {
        try (BlobStore store = open(999)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 20; i++) {
                            put(store, i);
                        }
                    })
                    .hasCauseInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void uriThatNamesNoStoreIsRefused() {
        assertThatThrownBy(() -> BlobStores.open("bench:///?faults=1", time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("it names no store");
        assertThatThrownBy(() -> BlobStores.open("bench:///?store=memory%3A%2F%2Fx&faults=1000", time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("faults is 1000");
    }
}
