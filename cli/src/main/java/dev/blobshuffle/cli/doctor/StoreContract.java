package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks the rules of {@link BlobStore} that the engine depends on and that a probe of one blob
 * does not show: ranges, repeated and simultaneous puts, listings, deletes of several blobs,
 * conditional writes and times. It leaves a register behind, so the store must be the caller's own.
 * Owned by one thread.
 */
final class StoreContract {
    private static final int SMALL = 1000;

    /** Larger than clients' buffers, so a blob is sent in many pieces. */
    private static final int LARGE = 8 << 20;

    private static final int WRITERS = 4;
    private static final int ROUNDS = 3;
    private static final String REGISTER = "cloud-check";

    /** The rounding of times: stores round down, and some answers have whole seconds. */
    private static final Duration ROUNDING = Duration.ofSeconds(1);

    private static final String USE_ANOTHER = "Use a store that does, and check proxies on the way.";

    private final BlobStore store;
    private final Time time;
    private final BoundedWait patience;
    private final Consumer<StoreFinding> findings;
    private final long generation;
    private final long writer;
    private long sequence;

    /**
     * A check of a store.
     *
     * @param findings receives each result immediately
     */
    StoreContract(BlobStore store, Time time, BoundedWait patience, Consumer<StoreFinding> findings) {
        this.store = store;
        this.time = time;
        this.patience = patience;
        this.findings = findings;
        generation = time.wallMillis() / TimeUnit.MINUTES.toMillis(1);
        writer = time.randomLong();
    }

    /** Checks every rule, even after a violation. */
    void run() throws InterruptedException {
        step("large blob", LARGE / (1 << 20) + " MiB came back in parts as they were", this::checkLargeBlob);
        step("outside range", "a range outside a blob is refused", this::checkRangeOutside);
        step("repeated put", "repeated and simultaneous puts leave one blob", this::checkRepeatedPuts);
        step("listing", "a listing has the blobs of one generation and no others", this::checkListing);
        step("deletes", "several blobs were deleted, and the others stay", this::checkDeletes);
        if (store.registers().isPresent()) {
            Registers registers = store.registers().get();
            step(
                    "conditional write",
                    "one of " + WRITERS + " simultaneous writers changes a register",
                    () -> checkRegister(registers));
            step("times", "listings and registers have the same clock", () -> checkTimes(registers));
        } else {
            findings.accept(StoreFinding.hint(
                    "conditional write",
                    "the store has no registers, so no sweep deletes from it",
                    "Expire its blobs by a rule of the service."));
        }
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private void step(String subject, String fact, Step step) throws InterruptedException {
        try {
            step.run();
            findings.accept(StoreFinding.ok(subject, fact));
        } catch (BlobShuffleException e) {
            findings.accept(Finding.failed(Finding.STORE, subject, e).asStoreFinding());
        }
    }

    private BlobId next() {
        return new BlobId(generation, writer, sequence++);
    }

    private byte[] bytes(int length) {
        return ProbeBlob.of(length, time).bytes();
    }

    private void put(BlobId id, byte[] bytes) throws InterruptedException {
        patience.await(store.put(id, BlobContent.of(bytes)));
    }

    private void expect(BlobId id, byte[] bytes, int offset, int length) throws InterruptedException {
        try (BlobBytes read = patience.await(store.get(id, BlobRange.of(offset, length)))) {
            require(
                    read.buffer().equals(ByteBuffer.wrap(bytes, offset, length)),
                    "bytes " + offset + " to " + (offset + length) + " of a blob came back as others");
        }
    }

    private static void require(boolean isKept, String problem) {
        if (!isKept) {
            throw new BlobCorruptException(problem + ". " + USE_ANOTHER);
        }
    }

    private void checkLargeBlob() throws InterruptedException {
        BlobId id = next();
        byte[] bytes = bytes(LARGE);
        put(id, bytes);
        int part = LARGE / 2 + 1;
        expect(id, bytes, 0, part);
        expect(id, bytes, part, LARGE - part);
        expect(id, bytes, LARGE - 1, 1);
        long length = patience.await(store.length(id));
        require(length == LARGE, "a blob of " + LARGE + " bytes is said to have " + length);
    }

    private void checkRangeOutside() throws InterruptedException {
        BlobId id = next();
        put(id, bytes(SMALL));
        for (BlobRange outside : List.of(BlobRange.of(0, SMALL + 1), BlobRange.of(SMALL, 1))) {
            require(isRefused(id, outside), "a read beyond the end of a blob succeeds");
        }
    }

    private boolean isRefused(BlobId id, BlobRange range) throws InterruptedException {
        try (BlobBytes ignored = patience.await(store.get(id, range))) {
            return false;
        } catch (BlobCorruptException e) {
            return true;
        }
    }

    private void checkRepeatedPuts() throws InterruptedException {
        BlobId id = next();
        byte[] bytes = bytes(SMALL);
        List<CompletionStage<Void>> puts = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            puts.add(store.put(id, BlobContent.of(bytes)));
        }
        for (CompletionStage<Void> each : puts) {
            patience.await(each);
        }
        put(id, bytes);
        expect(id, bytes, 0, SMALL);
        long found = listed().stream().filter(blob -> blob.id().equals(id)).count();
        require(found == 1, "a blob that was put again is listed " + found + " times");
    }

    private List<StoredBlob> listed() throws InterruptedException {
        return patience.await(store.list(BlobId.NO_OWNER, generation));
    }

    private void checkListing() throws InterruptedException {
        Set<BlobId> ids = new HashSet<>();
        BlobId other = new BlobId(generation + 1, writer, sequence++);
        for (int i = 0; i < WRITERS; i++) {
            BlobId id = next();
            put(id, bytes(SMALL));
            ids.add(id);
        }
        put(other, bytes(SMALL));
        Set<BlobId> found = new HashSet<>();
        listed().forEach(blob -> found.add(blob.id()));
        require(found.containsAll(ids), "a listing leaves out a blob that was stored before");
        require(!found.contains(other), "a listing has a blob of another generation");
        require(
                patience.await(store.generations(BlobId.NO_OWNER)).containsAll(List.of(generation, generation + 1)),
                "a listing leaves out a generation that has a blob");
        require(
                patience.await(store.owners()).contains(BlobId.NO_OWNER),
                "a listing leaves out an owner that has a blob");
    }

    private void checkDeletes() throws InterruptedException {
        byte[] bytes = bytes(SMALL);
        BlobId kept = next();
        BlobId first = next();
        BlobId second = next();
        for (BlobId id : List.of(kept, first, second)) {
            put(id, bytes);
        }
        patience.await(store.delete(List.of(first, second, next())));
        expect(kept, bytes, 0, SMALL);
        Set<BlobId> found = new HashSet<>();
        listed().forEach(blob -> found.add(blob.id()));
        require(
                found.contains(kept) && !found.contains(first) && !found.contains(second),
                "a listing disagrees with the deletes before it");
    }

    private void checkRegister(Registers registers) throws InterruptedException {
        Optional<Register> held = patience.await(registers.read(REGISTER));
        for (int round = 0; round < ROUNDS; round++) {
            List<CompletionStage<Boolean>> writes = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                writes.add(registers.replace(REGISTER, held, "round " + round + " writer " + i));
            }
            int winners = 0;
            for (CompletionStage<Boolean> write : writes) {
                winners += won(write) ? 1 : 0;
            }
            require(
                    winners == 1,
                    winners + " of " + WRITERS + " simultaneous writers changed a register, so the store does not"
                            + " keep conditions (If-None-Match, If-Match)");
            Optional<Register> late = held;
            held = patience.await(registers.read(REGISTER));
            require(
                    !patience.await(registers.replace(REGISTER, late, "late " + round)),
                    "a register was changed by a writer who had read an earlier value");
        }
    }

    /** Whether a write won a race. A store may ask the loser to retry. */
    private boolean won(CompletionStage<Boolean> write) throws InterruptedException {
        try {
            return patience.await(write);
        } catch (StoreRefusedException e) {
            throw e;
        } catch (BlobShuffleException e) {
            return false;
        }
    }

    private void checkTimes(Registers registers) throws InterruptedException {
        Instant before = written(registers, "before");
        BlobId id = next();
        put(id, bytes(SMALL));
        Instant after = written(registers, "after");
        Instant stored = listed().stream()
                .filter(blob -> blob.id().equals(id))
                .map(StoredBlob::stored)
                .findFirst()
                .orElseThrow(() ->
                        new BlobCorruptException("a listing leaves out a blob that was stored before. " + USE_ANOTHER));
        require(
                !stored.isBefore(before.minus(ROUNDING)) && !stored.isAfter(after.plus(ROUNDING)),
                "a blob was stored at " + stored + " by the listing, and from " + before + " to " + after
                        + " by the registers");
    }

    private Instant written(Registers registers, String text) throws InterruptedException {
        Optional<Register> held = patience.await(registers.read(REGISTER));
        require(
                patience.await(registers.replace(REGISTER, held, text)),
                "a register was not written although no other writer changed it");
        return patience.await(registers.read(REGISTER))
                .map(Register::stored)
                .orElseThrow(() -> new BlobCorruptException("a register was written and is not there. " + USE_ANOTHER));
    }
}
