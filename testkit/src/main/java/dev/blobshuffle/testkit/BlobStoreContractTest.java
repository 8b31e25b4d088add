package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.FileRegion;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoredBlob;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of {@link BlobStore}, to be kept by every store: one subclass per store. A test gets an
 * empty store and may leave blobs in it.
 */
public abstract class BlobStoreContractTest {
    /** Longer than any sound store takes, on a busy machine. */
    private static final long PATIENCE_SECONDS = 120;

    private static final long GENERATION = 29_700_000;

    /** Stores round times down, and some answers have whole seconds. */
    private static final Duration ROUNDING = Duration.ofSeconds(1);

    /** Checks that contents and bytes come back. */
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    private Path files;

    private final Random random = new Random(7);
    private BlobStore store = new MemoryBlobStore("not opened", 1);

    /** Opens an empty store of at least 256 MiB, which the test closes. */
    protected abstract BlobStore open();

    /**
     * Stores a few bytes below the open store's directory or prefix, under a key that is not a
     * blob's, as another program might.
     *
     * @return whether it did; false if nothing else can be stored there
     * @throws Exception it failed
     */
    protected boolean putBeside(String key) throws Exception {
        return false;
    }

    /**
     * Deletes the marker that makes the open store's directory or prefix a store, as an operator
     * might by mistake.
     *
     * @return whether it did; false if there is no marker
     * @throws Exception it failed
     */
    protected boolean loseMarker() throws Exception {
        return false;
    }

    @BeforeEach
    final void openStore() {
        store = loans.watch(open());
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }

    @Test
    void aBlobIsReadBackByteForByteHoweverItsBuffersAreCut() throws Exception {
        byte[] blob = bytes(3_000_017);
        BlobId id = id(1);
        TrackedContent content = loans.content(cut(blob, 32, 65_536, 32, 0, 1, 262_144, 262_145, 1_000_000));
        join(store.put(id, content));
        content.release();
        assertThat(read(id, 0, blob.length)).isEqualTo(blob);
    }

    @Test
    void contentInRegionsOfFilesIsStored() throws Exception {
        byte[] first = bytes(900_001);
        byte[] second = bytes(300_000);
        Path one = Files.write(files.resolve("one"), first);
        Path other = Files.write(files.resolve("other"), second);
        List<FileRegion> regions = List.of(
                new FileRegion(one, 100, 800_001),
                new FileRegion(other, 7, 0),
                new FileRegion(other, 0, 10),
                new FileRegion(other, 299_990, 10),
                new FileRegion(one, 0, 100));
        CompletableFuture<Integer> released = new CompletableFuture<>();
        PiecedContent content = PiecedContent.ofFiles(regions, () -> released.complete(1));
        CompletionStage<Void> put = store.put(id(1), content);
        content.release();
        join(put);
        byte[] expected = new byte[800_121];
        System.arraycopy(first, 100, expected, 0, 800_001);
        System.arraycopy(second, 0, expected, 800_001, 10);
        System.arraycopy(second, 299_990, expected, 800_011, 10);
        System.arraycopy(first, 0, expected, 800_021, 100);
        assertThat(read(id(1), 0, expected.length)).isEqualTo(expected);
        assertThat(join(store.length(id(1)))).isEqualTo(expected.length);
        assertThat(join(released)).isEqualTo(1);
    }

    @Test
    void contentInBuffersIsStoredAndReleased() throws Exception {
        byte[] blob = bytes(500_000);
        CompletableFuture<Integer> released = new CompletableFuture<>();
        BlobContent content = BlobContent.of(
                List.of(
                        ByteBuffer.wrap(blob, 0, 200_000),
                        ByteBuffer.wrap(blob, 200_000, 300_000).asReadOnlyBuffer()),
                () -> released.complete(1));
        CompletionStage<Void> put = store.put(id(1), content);
        content.release();
        join(put);
        assertThat(read(id(1), 0, blob.length)).isEqualTo(blob);
        assertThat(join(released)).isEqualTo(1);
    }

    @Test
    void contentThatCannotBeReadFailsItsPutAndIsReleased() throws Exception {
        CompletableFuture<Integer> released = new CompletableFuture<>();
        PiecedContent content = PiecedContent.ofFiles(
                List.of(new FileRegion(files.resolve("gone"), 0, 100_000)), () -> released.complete(1));
        CompletionStage<Void> put = store.put(id(1), content);
        content.release();
        assertThatThrownBy(() -> join(put)).isInstanceOf(StoreUnavailableException.class);
        assertThat(join(released)).isEqualTo(1);
        assertThatThrownBy(() -> join(store.length(id(1)))).isInstanceOf(BlobMissingException.class);
    }

    @Test
    void aRangeIsExactlyItsBytes() throws Exception {
        byte[] blob = put(id(1), 100_000);
        for (long[] range :
                new long[][] {{0, 1}, {99_999, 1}, {0, 100_000}, {50_000, 50_000}, {1, 99_998}, {4096, 8192}}) {
            byte[] part = read(id(1), range[0], range[1]);
            assertThat(part).isEqualTo(Arrays.copyOfRange(blob, (int) range[0], (int) (range[0] + range[1])));
        }
    }

    @Test
    void theLengthOfABlobIsToldAndThatOneIsMissing() throws Exception {
        put(id(1), 12_345);
        assertThat(join(store.length(id(1)))).isEqualTo(12_345);
        assertThatThrownBy(() -> join(store.length(id(2)))).isInstanceOf(BlobMissingException.class);
    }

    @Test
    void aRegisterIsWrittenByOneOfSeveralWhoReadTheSame() throws Exception {
        Optional<Registers> kept = registers();
        if (kept.isEmpty()) {
            return;
        }
        Registers registers = kept.get();
        Optional<Register> held = join(registers.read("contract"));
        assertThat(held).isEmpty();
        for (int round = 0; round < 12; round++) { // More often than a store keeps old values.
            Optional<Register> seen = held;
            List<CompletableFuture<Boolean>> writes = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                writes.add(registers
                        .replace("contract", seen, "round " + round + " writer " + writer + " ü")
                        .toCompletableFuture());
            }
            List<Integer> winners = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                if (won(writes.get(writer))) {
                    winners.add(writer);
                }
            }
            assertThat(winners).as("round " + round).hasSize(1);
            held = join(registers.read("contract"));
            assertThat(held.orElseThrow().text()).isEqualTo("round " + round + " writer " + winners.get(0) + " ü");
            assertThat(join(registers.replace("contract", seen, "late " + round)))
                    .isFalse();
            assertThat(join(registers.read("contract"))).isEqualTo(held);
        }
        assertThat(join(registers.read("other"))).isEmpty();
        assertThat(join(store.generations(0))).isEmpty();
    }

    /** A truncated text would have another meaning, for example that a cluster has no claim. */
    @Test
    void aRegistersTextIsKeptWholeOrRefused() throws Exception {
        Optional<Registers> kept = registers();
        if (kept.isEmpty()) {
            return;
        }
        String longest = "x".repeat(Registers.MOST_BYTES - 2) + "ü";
        assertThat(join(kept.get().replace("longest", Optional.empty(), longest)))
                .isTrue();
        assertThat(join(kept.get().read("longest")).orElseThrow().text()).isEqualTo(longest);
        assertThatThrownBy(() -> join(kept.get().replace("too-long", Optional.empty(), longest + "x")))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("too-long");
        assertThat(join(kept.get().read("too-long"))).isEmpty();
    }

    /**
     * A store may ask the loser of a race to try again. The outcome is then unknown, and the
     * register shows which write won.
     */
    private static boolean won(CompletableFuture<Boolean> write) throws Exception {
        try {
            return join(write);
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static List<BlobId> listed(CompletionStage<List<StoredBlob>> listing) throws Exception {
        return join(listing).stream().map(StoredBlob::id).toList();
    }

    private Optional<Registers> registers() {
        return store.registers();
    }

    @Test
    void bytesLieInAnAccessibleArray() throws Exception {
        put(id(1), 1000);
        try (BlobBytes bytes = join(store.get(id(1), new BlobRange(0, 1000, 100, 50)))) {
            assertThat(bytes.buffer().hasArray()).isTrue();
            assertThat(bytes.buffer().remaining()).isEqualTo(50);
        }
    }

    @Test
    void aPutMayBeRepeated() throws Exception {
        byte[] blob = bytes(70_000);
        for (int i = 0; i < 3; i++) {
            TrackedContent content = loans.content(blob.clone());
            join(store.put(id(1), content));
            content.release();
        }
        assertThat(read(id(1), 0, blob.length)).isEqualTo(blob);
        assertThat(listed(store.list(0, GENERATION))).containsExactly(id(1));
    }

    @Test
    void concurrentPutsOfOneBlobLeaveOneBlob() throws Exception {
        byte[] blob = bytes(500_000);
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            TrackedContent content = loans.content(cut(blob, 1000 * i));
            puts.add(store.put(id(1), content).toCompletableFuture());
            content.release();
        }
        for (CompletableFuture<Void> put : puts) {
            join(put);
        }
        assertThat(read(id(1), 0, blob.length)).isEqualTo(blob);
        assertThat(listed(store.list(0, GENERATION))).containsExactly(id(1));
    }

    @Test
    void theContentMayBeRecycledOnceThePutHasEnded() throws Exception {
        byte[] blob = bytes(200_000);
        TrackedContent content = loans.content(blob.clone());
        CompletionStage<Void> put = store.put(id(1), content);
        content.release(); // From here on only the store holds it; its bytes are overwritten with the last reference.
        join(put);
        assertThat(read(id(1), 0, blob.length)).isEqualTo(blob);
    }

    @Test
    void aBlobThatIsNotThereIsMissing() throws Exception {
        put(id(1), 10);
        assertThatThrownBy(() -> read(id(2), 0, 1))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining(id(2).toString());
        BlobId otherGeneration = new BlobId(GENERATION + 1, 1, 1);
        assertThatThrownBy(() -> read(otherGeneration, 0, 1)).isInstanceOf(BlobMissingException.class);
    }

    /** Otherwise tasks would end for good, although the bucket can be restored. */
    @Test
    void aStoreWithoutItsMarkerMissesNoBlob() throws Exception {
        put(id(1), 10);
        if (!loseMarker()) {
            return;
        }
        assertThatThrownBy(() -> read(id(2), 0, 1)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> join(store.length(id(2)))).isInstanceOf(StoreUnavailableException.class);
        Optional<Registers> registers = store.registers();
        if (registers.isPresent()) {
            assertThatThrownBy(() -> join(registers.get().read("absent")))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aRangeOutsideTheBlobIsCorrupt() throws Exception {
        put(id(1), 1000);
        for (long[] range : new long[][] {{0, 1001}, {999, 2}, {1000, 1}, {5_000_000_000L, 10}, {0, 1L << 40}}) {
            assertThatThrownBy(() -> read(id(1), range[0], range[1])).isInstanceOf(BlobCorruptException.class);
        }
    }

    @Test
    void aDeletedBlobIsMissingAndTheOthersStay() throws Exception {
        byte[] kept = put(id(1), 1000);
        put(id(2), 1000);
        put(id(3), 1000);
        join(store.delete(List.of(id(2), id(3), id(4))));
        join(store.delete(List.of(id(2))));
        join(store.delete(List.of()));
        assertThatThrownBy(() -> read(id(2), 0, 1)).isInstanceOf(BlobMissingException.class);
        assertThat(read(id(1), 0, 1000)).isEqualTo(kept);
        assertThat(listed(store.list(0, GENERATION))).containsExactly(id(1));
        byte[] again = put(id(2), 500);
        assertThat(read(id(2), 0, 500)).isEqualTo(again);
    }

    /** Times are compared with each other only, since the store's clock may be any. */
    @Test
    void aListingHasTheTimesOfTheClockThatRegistersHave() throws Exception {
        Optional<Registers> kept = registers();
        if (kept.isEmpty()) {
            return;
        }
        Instant before = written(kept.get(), "before");
        put(id(1), 10);
        Instant after = written(kept.get(), "after");
        Instant stored = join(store.list(0, GENERATION)).get(0).stored();
        assertThat(stored).isBetween(before.minus(ROUNDING), after.plus(ROUNDING));
        assertThat(join(store.list(0, GenerationSpan.around(GENERATION, 2))))
                .containsExactly(new StoredBlob(id(1), stored));
    }

    private static Instant written(Registers registers, String text) throws Exception {
        Optional<Register> held = join(registers.read("clock"));
        assertThat(join(registers.replace("clock", held, text))).isTrue();
        return join(registers.read("clock")).orElseThrow().stored();
    }

    @Test
    void aGenerationListsItsBlobsAndNoOthers() throws Exception {
        List<BlobId> ids = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ids.add(new BlobId(GENERATION, random.nextLong(), i));
        }
        for (BlobId id : ids) {
            put(id, 10);
        }
        put(new BlobId(GENERATION - 1, 1, 1), 10);
        put(new BlobId(GENERATION + 1, 1, 1), 10);
        assertThat(listed(store.list(0, GENERATION))).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(listed(store.list(0, GENERATION + 2))).isEmpty();
        assertThat(join(store.generations(0))).containsExactlyInAnyOrder(GENERATION - 1, GENERATION, GENERATION + 1);
        List<BlobId> together = new ArrayList<>(ids);
        together.add(new BlobId(GENERATION + 1, 1, 1));
        assertThat(listed(store.list(0, GenerationSpan.around(GENERATION, 0))))
                .containsExactlyInAnyOrderElementsOf(ids);
        assertThat(listed(store.list(0, GenerationSpan.around(GENERATION, 2))))
                .containsExactlyInAnyOrderElementsOf(together);
        assertThat(listed(store.list(0, GenerationSpan.around(GENERATION - 1, 1))))
                .containsExactly(new BlobId(GENERATION - 1, 1, 1));
    }

    @Test
    void blobsOfEachOwnerAreKeptApart() throws Exception {
        List<BlobId> ids = List.of(
                new BlobId(0, GENERATION, 5, 1),
                new BlobId(1, GENERATION, 5, 1),
                new BlobId(BlobId.MOST_OWNERS, GENERATION, 5, 1),
                new BlobId(BlobId.MOST_OWNERS, GENERATION + 1, BlobId.writer(-1L), Long.MAX_VALUE));
        List<byte[]> blobs = new ArrayList<>();
        for (BlobId id : ids) {
            blobs.add(put(id, 10));
        }
        for (int i = 0; i < ids.size(); i++) {
            assertThat(read(ids.get(i), 0, 10)).isEqualTo(blobs.get(i));
        }
        assertThat(join(store.owners())).containsExactlyInAnyOrder(0, 1, BlobId.MOST_OWNERS);
        assertThat(listed(store.list(0, GENERATION))).containsExactly(ids.get(0));
        assertThat(listed(store.list(1, GENERATION))).containsExactly(ids.get(1));
        assertThat(listed(store.list(2, GENERATION))).isEmpty();
        assertThat(join(store.generations(1))).containsExactly(GENERATION);
        assertThat(join(store.generations(2))).isEmpty();
        assertThat(listed(store.list(BlobId.MOST_OWNERS, GenerationSpan.around(GENERATION, 2))))
                .containsExactlyInAnyOrder(ids.get(2), ids.get(3));

        join(store.delete(List.of(ids.get(1))));
        assertThatThrownBy(() -> read(ids.get(1), 0, 1)).isInstanceOf(BlobMissingException.class);
        assertThat(join(store.generations(1))).isEmpty();
        assertThat(read(ids.get(0), 0, 10)).isEqualTo(blobs.get(0));
        assertThat(read(ids.get(2), 0, 10)).isEqualTo(blobs.get(2));
    }

    @Test
    void aGenerationWithoutBlobsIsNotListed() throws Exception {
        assertThat(join(store.generations(0))).isEmpty();
        put(id(1), 10);
        join(store.delete(List.of(id(1))));
        assertThat(join(store.generations(0))).isEmpty();
    }

    @Test
    void keysOfOthersAreNoBlobs() throws Exception {
        put(id(1), 10);
        String key = BlobKey.of(id(2));
        String name = key.substring(key.lastIndexOf('/') + 1);
        String generation = key.substring(0, key.length() - name.length());
        String other = BlobKey.generation(0, (BlobKey.shard(id(2)) + 1) % BlobKey.SHARDS, GENERATION);
        for (String foreign : List.of(
                key + ".tmp",
                generation + "." + name + ".x7Hq",
                generation + "deeper/" + name,
                generation + key,
                other + name,
                key.replace("/00", "/"),
                key.replace("-2.", "-02."),
                key.replace("-2.", "-99999999999999999999."),
                key.replace("b10b", "B10B"),
                "copy/" + key,
                "copy-of-" + key,
                "blobs/" + name,
                "blobs/000000/" + key.substring("blobs/".length()),
                BlobKey.of(new BlobId(7, GENERATION, 2, 2)).replace("000007", "00000G"),
                "blobs/40/" + generation.substring("blobs/00/".length()) + name)) {
            assertThat(BlobKey.parse(foreign)).as(foreign).isEmpty();
            if (!putBeside(foreign)) {
                return;
            }
        }
        assertThat(listed(store.list(0, GENERATION))).containsExactly(id(1));
        assertThat(listed(store.list(0, GenerationSpan.around(GENERATION, 2)))).containsExactly(id(1));
        assertThat(join(store.generations(0))).containsExactly(GENERATION);
        assertThatThrownBy(() -> read(id(2), 0, 1)).isInstanceOf(BlobMissingException.class);
        join(store.delete(List.of(id(1), id(2))));
        assertThat(listed(store.list(0, GENERATION))).isEmpty();
    }

    @Test
    void extremeIdsAreKeptApart() throws Exception {
        List<BlobId> ids = List.of(
                new BlobId(0, 0, 0),
                new BlobId(0, -1, Long.MAX_VALUE),
                new BlobId(Long.MAX_VALUE, Long.MIN_VALUE, 0),
                new BlobId(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE),
                new BlobId(9_999_999_999L, 1, 1),
                new BlobId(10_000_000_000L, 1, 1));
        List<byte[]> blobs = new ArrayList<>();
        for (BlobId id : ids) {
            blobs.add(put(id, 100));
        }
        for (int i = 0; i < ids.size(); i++) {
            assertThat(read(ids.get(i), 0, 100)).isEqualTo(blobs.get(i));
        }
        assertThat(listed(store.list(0, Long.MAX_VALUE))).containsExactlyInAnyOrder(ids.get(2), ids.get(3));
        assertThat(join(store.generations(0)))
                .containsExactlyInAnyOrder(0L, Long.MAX_VALUE, 9_999_999_999L, 10_000_000_000L);
        assertThat(listed(store.list(0, GenerationSpan.around(0, 2))))
                .containsExactlyInAnyOrder(ids.get(0), ids.get(1));
        assertThat(listed(store.list(0, GenerationSpan.around(1_000_000_000L, 2))))
                .isEmpty();
    }

    @Test
    void aHugeBlobIsStoredAndReadInParts() throws Exception {
        byte[] blob = put(id(1), 70_000_003);
        for (int at = 0; at < blob.length; at += 33_000_000) {
            int length = Math.min(33_000_000, blob.length - at);
            assertThat(read(id(1), at, length)).isEqualTo(Arrays.copyOfRange(blob, at, at + length));
        }
    }

    @Test
    void concurrentReadersAndWritersDoNotDisturbEachOther() throws Exception {
        List<byte[]> blobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            blobs.add(put(id(i), 300_000));
        }
        List<CompletableFuture<?>> pending = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            int number = i % 4;
            int offset = random.nextInt(200_000);
            int length = 1 + random.nextInt(100_000);
            pending.add(store.get(id(number), BlobRange.of(offset, length))
                    .toCompletableFuture()
                    .thenAccept(bytes -> {
                        try (bytes) {
                            assertThat(bytes.buffer()).isEqualTo(ByteBuffer.wrap(blobs.get(number), offset, length));
                        }
                    }));
            if (i % 10 == 0) {
                TrackedContent content = loans.content(bytes(50_000));
                pending.add(store.put(id(100 + i), content).toCompletableFuture());
                content.release();
            }
        }
        for (CompletableFuture<?> stage : pending) {
            join(stage);
        }
        assertThat(listed(store.list(0, GENERATION))).hasSize(44);
    }

    @Test
    void aClosedStoreRefusesEverything() throws Exception {
        put(id(1), 10);
        store.close();
        store.close();
        TrackedContent content = loans.content(bytes(10));
        assertThatThrownBy(() -> join(store.put(id(2), content))).isInstanceOf(ClosedException.class);
        content.release();
        assertThatThrownBy(() -> read(id(1), 0, 1)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> join(store.delete(List.of(id(1))))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> join(store.list(0, GENERATION))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> join(store.generations(0))).isInstanceOf(ClosedException.class);
    }

    @Test
    void whatIsPendingAtTheCloseEndsAndGivesItsContentBack() throws Exception {
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            TrackedContent content = loans.content(bytes(200_000));
            puts.add(store.put(id(i), content).toCompletableFuture());
            content.release();
        }
        store.close();
        for (CompletableFuture<Void> put : puts) {
            try {
                join(put);
            } catch (ClosedException e) {
                // It came too late.
            }
        }
    }

    @Test
    void theFingerprintStays() {
        assertThat(store.fingerprint()).isEqualTo(store.fingerprint());
        assertThat(store.location()).contains("://");
    }

    private byte[] put(BlobId id, int length) throws Exception {
        byte[] blob = bytes(length);
        TrackedContent content = loans.content(blob.clone());
        try {
            join(store.put(id, content));
        } finally {
            content.release();
        }
        return blob;
    }

    private byte[] read(BlobId id, long offset, long length) throws Exception {
        try (BlobBytes bytes = join(store.get(id, BlobRange.of(offset, length)))) {
            byte[] copy = new byte[bytes.buffer().remaining()];
            bytes.buffer().get(copy);
            return copy;
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Cuts a blob into parts of the given lengths and the rest. */
    private static byte[][] cut(byte[] blob, int... lengths) {
        List<byte[]> parts = new ArrayList<>();
        int at = 0;
        for (int length : lengths) {
            parts.add(Arrays.copyOfRange(blob, at, at + length));
            at += length;
        }
        parts.add(Arrays.copyOfRange(blob, at, blob.length));
        return parts.toArray(byte[][]::new);
    }

    private static BlobId id(long sequence) {
        return new BlobId(GENERATION, 0xB10B_5487_FF1E_0001L, sequence);
    }

    private static <T> T join(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
