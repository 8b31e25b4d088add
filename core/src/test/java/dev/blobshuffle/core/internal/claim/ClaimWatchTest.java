package dev.blobshuffle.core.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** An instance compares its clock with the store's, with a store in a directory. */
@ResourceLock(Resources.SYSTEM_ERR)
class ClaimWatchTest {
    private static final String WARNING = "A clock is wrong: this machine's clock is ";

    private static final String YOUNG = "Topic claims not present in metadata after 10000 ms.";

    @TempDir
    private Path directory;

    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    @Test
    void writerWhoseClockIsWrongIsWarnedOnce() {
        assertThat(logged(Duration.ofHours(26))).containsOnlyOnce(WARNING + "26 hours ahead of the store's");
        assertThat(logged(Duration.ofHours(-3))).containsOnlyOnce(WARNING + "3 hours behind the store's");
    }

    @Test
    void writerWhoseClockIsRightEnoughIsNotWarned() {
        assertThat(logged(Duration.ofMinutes(14))).doesNotContain(WARNING);
        assertThat(logged(Duration.ofMinutes(-14))).doesNotContain(WARNING);
    }

    /**
     * As on a first start under load: the claims topic is young, and brokers do not know it yet.
     */
    @Test
    void claimThatFailsOnceIsWarnedOfWithoutAStackTrace() {
        failures.set(1);
        assertThat(logged(Duration.ZERO))
                .containsOnlyOnce("cannot be made: " + YOUNG + " Trying again.")
                .doesNotContain("\tat ");
    }

    /** What an instance logs that stores a blob and checks its claim a few times. */
    private String logged(Duration ahead) {
        PrintStream before = System.err;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
        try (SystemTime time = new SystemTime(() -> SystemTime.wallClock().getAsLong() + ahead.toMillis());
                BlobStore store = ClaimWatch.claimed(
                        new Counted(BlobStores.openUnchecked(
                                directory.toUri() + "?fsync=none", StoreContext.unmetered(time))),
                        new Memory(known, failures, time),
                        Duration.ofMillis(5),
                        time)) {
            await("a claim")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> store.put(new BlobId(1, 1, 1), BlobContent.of(new byte[] {1}))
                            .toCompletableFuture()
                            .handle((stored, failure) -> failure == null)
                            .join());
            int first = reads.get();
            await("checks of the claim").atMost(Duration.ofMinutes(2)).until(() -> reads.get() > first + 5);
        } finally {
            System.setErr(before);
        }
        return lines.toString(StandardCharsets.UTF_8);
    }

    /** Counts reads of registers. */
    private final class Counted extends ForwardingBlobStore {
        Counted(BlobStore store) {
            super(store);
        }

        @Override
        public Optional<Registers> registers() {
            Registers registers = super.registers().orElseThrow();
            return Optional.of(new Registers() {
                @Override
                public CompletionStage<Optional<Register>> read(String name) {
                    reads.incrementAndGet();
                    return registers.read(name);
                }

                @Override
                public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
                    return registers.replace(name, expected, text);
                }
            });
        }
    }

    /** A cluster whose memory is in this process. */
    private static final class Memory implements ClaimSource, ClaimMemory {
        private final Set<String> ids;
        private final AtomicInteger failures;
        private final SystemTime time;

        Memory(Set<String> ids, AtomicInteger failures, SystemTime time) {
            this.ids = ids;
            this.failures = failures;
            this.time = time;
        }

        @Override
        public Claimant claimant(ClaimCell cell, int fingerprint) {
            return new Claimant(
                    cell,
                    "cluster",
                    topic -> this,
                    () -> Claimant.newId(time),
                    Claimant.Pauses.growing(time),
                    Claimant.KEPT);
        }

        @Override
        public Set<String> lines() {
            return Set.of("claims");
        }

        @Override
        public Optional<Set<String>> linesAfter(RuntimeException failure) {
            return Optional.empty();
        }

        @Override
        public Set<String> known() {
            return Set.copyOf(ids);
        }

        @Override
        public void remember(String id, long counter) {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException(YOUNG);
            }
            ids.add(id);
        }

        @Override
        public void forget(long counter, Set<String> kept) {
            // It remembers all.
        }
    }
}
