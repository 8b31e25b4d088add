package dev.blobshuffle.testkit.internal.log.sweep;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An object store in virtual time. Requests take a while, fail at random, and have their effect
 * also if their process is dead by then. Guarded by the simulation's baton.
 */
final class SharedStore implements BlobStore, Registers {
    private final SimulatedTime time;
    private final Consumer<BlobId> deleted;
    private final Set<BlobId> blobs = new TreeSet<>();
    private final Map<BlobId, Instant> times = new HashMap<>();
    private Optional<Register> claims = Optional.empty();
    private Optional<Register> conditions = Optional.empty();
    private int writes;

    /** @param deleted called for each blob that a request deletes */
    SharedStore(SimulatedTime time, Consumer<BlobId> deleted) {
        this.time = time;
        this.deleted = deleted;
    }

    Set<BlobId> blobs() {
        return blobs;
    }

    private Instant now() {
        return Instant.ofEpochMilli(time.wallMillis());
    }

    /** The text of the claim register. */
    Optional<String> claims() {
        return claims.map(Register::text);
    }

    private <T> CompletionStage<T> later(int mostMillis, Supplier<T> effect) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        int fate = time.random(60);
        time.schedule(Duration.ofMillis(time.random(mostMillis)), () -> {
            T value = fate == 0 ? null : effect.get();
            if (fate <= 1) {
                answer.completeExceptionally(
                        new StoreUnavailableException("Cannot ask the store: it is away. Try again."));
            } else {
                answer.complete(value);
            }
        });
        return answer;
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return this.<Optional<Void>>later(20_000, () -> {
                    blobs.add(id);
                    times.put(id, now());
                    return Optional.empty();
                })
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        List<BlobId> some = List.copyOf(ids);
        return this.<Optional<Void>>later(5_000, () -> {
                    some.stream().filter(blobs::remove).forEach(deleted);
                    return Optional.empty();
                })
                .thenAccept(done -> {});
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        if (generation == 0) {
            return CompletableFuture.completedFuture(List.of()); // Whoever asks waits outside virtual time.
        }
        return later(
                2_000,
                () -> blobs.stream()
                        .filter(blob -> blob.owner() == owner && blob.generation() == generation)
                        .map(blob -> new StoredBlob(blob, times.getOrDefault(blob, Instant.EPOCH)))
                        .toList());
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return later(
                2_000,
                () -> blobs.stream()
                        .filter(blob -> blob.owner() == owner)
                        .map(BlobId::generation)
                        .distinct()
                        .toList());
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return later(2_000, () -> blobs.stream().map(BlobId::owner).distinct().toList());
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return CompletableFuture.failedFuture(
                new BlobMissingException("Cannot read " + id + ": the test reads nothing."));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return CompletableFuture.completedFuture(1L);
    }

    @Override
    public Optional<Registers> registers() {
        return Optional.of(this);
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return CompletableFuture.completedFuture(name.equals("owners") ? claims : conditions);
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        boolean isClaims = name.equals("owners");
        boolean isSame = expected.equals(isClaims ? claims : conditions);
        if (isSame) {
            Optional<Register> next = Optional.of(new Register(Integer.toString(++writes), text, now()));
            claims = isClaims ? next : claims;
            conditions = isClaims ? conditions : next;
        }
        return isClaims && time.random(10) == 0
                ? CompletableFuture.failedFuture(
                        new StoreUnavailableException("Cannot hear the answer: it is lost. Read it."))
                : CompletableFuture.completedFuture(isSame);
    }

    @Override
    public int fingerprint() {
        return 7;
    }

    @Override
    public String location() {
        return "shared";
    }

    @Override
    public void close() {}
}
