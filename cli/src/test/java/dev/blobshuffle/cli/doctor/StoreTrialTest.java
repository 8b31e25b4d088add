package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreFinding.Level;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that each rule that a store breaks is a separate error. */
class StoreTrialTest {
    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    @AfterEach
    void end() {
        time.close();
    }

    @Test
    void aSoundStoreHasNoErrors() throws Exception {
        assertThat(findings(store -> store))
                .allMatch(finding -> finding.level() == Level.OK)
                .extracting(StoreFinding::subject)
                .contains("put", "large blob", "outside range", "listing", "deletes", "conditional write", "times");
    }

    @Test
    void aStoreThatIgnoresConditionsFails() throws Exception {
        assertThat(errors(store -> new ForwardingBlobStore(store) {
                    @Override
                    public Optional<Registers> registers() {
                        return store().registers().map(Careless::new);
                    }
                }))
                .containsExactly("conditional write");
    }

    @Test
    void aStoreWhoseListingsLackWhatWasStoredFails() throws Exception {
        assertThat(errors(store -> new ForwardingBlobStore(store) {
                    @Override
                    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
                        return store().list(owner, generation)
                                .thenApply(all -> all.subList(0, Math.min(all.size(), 1)));
                    }
                }))
                .contains("listing")
                .doesNotContain("conditional write", "large blob");
    }

    @Test
    void aStoreThatDeletesNothingFails() throws Exception {
        assertThat(errors(store -> new ForwardingBlobStore(store) {
                    @Override
                    public CompletionStage<Void> delete(Collection<BlobId> ids) {
                        return store().delete(List.of());
                    }
                }))
                .contains("missing blob", "deletes")
                .doesNotContain("listing");
    }

    @Test
    void aStoreThatReadsBeyondABlobsEndFails() throws Exception {
        assertThat(errors(store -> new ForwardingBlobStore(store) {
                    @Override
                    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                        return store().length(id)
                                .thenCompose(length -> range.end() > length
                                        ? CompletableFuture.completedFuture(
                                                BlobBytes.of(ByteBuffer.allocate((int) range.length())))
                                        : store().get(id, range));
                    }
                }))
                .containsExactly("outside range");
    }

    private List<String> errors(UnaryOperator<BlobStore> defect) throws InterruptedException {
        return findings(defect).stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .map(StoreFinding::subject)
                .toList();
    }

    private List<StoreFinding> findings(UnaryOperator<BlobStore> defect) throws InterruptedException {
        List<StoreFinding> findings = new ArrayList<>();
        try (BlobStore opened =
                BlobStores.openUnchecked("file://" + directory.resolve("blobs"), StoreContext.unmetered(time))) {
            StoreTrial.run(defect.apply(opened), time, Duration.ofMinutes(2), findings::add);
        }
        return findings;
    }

    /** Ignores the expected register: it compares with the one that it has just read. */
    private record Careless(Registers registers) implements Registers {
        @Override
        public CompletionStage<Optional<Register>> read(String name) {
            return registers.read(name);
        }

        @Override
        public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
            return registers
                    .read(name)
                    .thenCompose(held -> registers.replace(name, held, text))
                    .thenApply(any -> true);
        }
    }
}
