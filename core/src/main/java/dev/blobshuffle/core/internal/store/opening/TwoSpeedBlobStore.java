package dev.blobshuffle.core.internal.store.opening;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.Latency;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.StoreHalves.Announcing;
import dev.blobshuffle.core.store.Abandonable;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store of two speeds: each blob goes to a fast store, which may lose it, and to a durable one,
 * in parallel. The blob is readable as soon as one of them has it, and durable when the durable one
 * has it. With {@link Announcing#DURABLE}, it reports no blob as readable before it is durable. A
 * read asks the fast store first, then the durable one.
 *
 * <p>The fast store is an optimization. If it fails, a blob is readable when it is durable, and all
 * reads go to the durable store. Blobs that it cannot list or delete stay until a later sweep. The
 * durable store keeps the registers and identifies the whole.
 *
 * <p>A blob that readers know may be in neither store for a while: the fast one has lost it, and
 * the durable one does not have it yet. For readers, a blob that its writer may still be storing is
 * therefore not confirmed missing: its read fails with {@link StoreUnavailableException} and may be
 * repeated. Thread-safe.
 */
public final class TwoSpeedBlobStore extends ForwardingBlobStore {
    private static final Logger LOG = LoggerFactory.getLogger(TwoSpeedBlobStore.class);

    /** The most by which the clocks of a writer and a reader may differ. */
    private static final Duration CLOCKS = Duration.ofMinutes(2);

    /** Below every age: a blob of a writer whose clock is ahead has a negative one. */
    private static final long AT_ANY_AGE = Long.MIN_VALUE;

    private final BlobStore fast;
    private final Announcing announcing;

    /** The age from which a blob that neither store has is missing. */
    private final long missingFromMillis;

    private final Time time;
    private final ShuffleMetrics metrics;
    private final ShuffleMetrics.Registration gauge;
    private final AtomicBoolean isSlow = new AtomicBoolean();
    private final AtomicBoolean isLeftOut = new AtomicBoolean();

    /**
     * A store of two speeds that reports missing blobs at once.
     *
     * @param halves the two stores, closed with this one
     * @param metrics where it counts what became of the fast store's copies
     */
    public TwoSpeedBlobStore(StoreHalves halves, Time time, ShuffleMetrics metrics) {
        this(halves, AT_ANY_AGE, time, metrics);
    }

    /**
     * A store of two speeds for readers of notifications.
     *
     * @param halves the two stores, closed with this one
     * @param storing the longest that a writer stores a blob that readers know
     * @param metrics where it counts what became of the fast store's copies
     */
    public TwoSpeedBlobStore(StoreHalves halves, Duration storing, Time time, ShuffleMetrics metrics) {
        this(halves, storing.plus(CLOCKS).toMillis() + BlobId.MILLIS_PER_GENERATION, time, metrics);
    }

    private TwoSpeedBlobStore(StoreHalves halves, long missingFromMillis, Time time, ShuffleMetrics metrics) {
        super(halves.durable());
        fast = halves.fast();
        announcing = halves.announcing();
        this.missingFromMillis = missingFromMillis;
        this.time = time;
        this.metrics = metrics;
        gauge = metrics.report(Gauge.FAST_STORE_DOWN, () -> isSlow.get() ? 1 : 0);
    }

    @Override
    public Optional<StoreHalves> halves() {
        return Optional.of(new StoreHalves(fast, store(), announcing));
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        return put(id, content, () -> {});
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content, Runnable whenReadable) {
        long start = time.nanos();
        CompletionStage<Void> copied = started(() -> fast.put(id, content));
        var ignored = copied.whenComplete((stored, failure) -> {
            if (failure == null) {
                metrics.record(Latency.FAST_PUT_LATENCY, time.nanos() - start);
                works();
                if (announcing == Announcing.EARLY) {
                    whenReadable.run();
                }
            } else {
                notCopied(cause(failure));
            }
        });
        CompletionStage<Void> kept = started(() -> store().put(id, content));
        var alsoIgnored = kept.whenComplete((stored, failure) -> Abandonable.abandon(copied));
        return kept;
    }

    /** A store that breaks its contract and throws must not keep the other one from its part. */
    private static <T> CompletionStage<T> started(Call<T> call) {
        try {
            return call.start();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private interface Call<T> {
        CompletionStage<T> start();
    }

    private void works() {
        if (isSlow.compareAndSet(true, false)) {
            LOG.info("The fast store works again: {} stores blobs.", fast.location());
        }
    }

    private void notCopied(Throwable cause) {
        if (cause instanceof CancellationException || cause instanceof ClosedException) {
            return; // The blob was durable first, or the instance ends.
        }
        metrics.add(Counter.FAST_PUT_FAILURES, 1);
        if (isSlow.compareAndSet(false, true)) {
            LOG.warn(
                    "Records are announced when {} has them, and not earlier, because {} does not store blobs ({})."
                            + " Restore it.",
                    store().location(),
                    fast.location(),
                    cause.toString());
        }
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return new Read(id, range).started();
    }

    /** A blob whose length is asked for is an old one, so the durable store decides. */
    @Override
    public CompletionStage<Long> length(BlobId id) {
        CompletableFuture<Long> length = new CompletableFuture<>();
        var ignored = store().length(id).whenComplete((known, failure) -> {
            if (failure == null) {
                length.complete(known);
                return;
            }
            var alsoIgnored = started(() -> fast.length(id)).whenComplete((copy, other) -> {
                if (other == null) {
                    length.complete(copy);
                } else {
                    length.completeExceptionally(cause(failure));
                }
            });
        });
        return length;
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /**
     * A read of one store and, if it fails, of the other one: the fast one first, unless its copy
     * was damaged.
     */
    private final class Read extends CompletableFuture<BlobBytes> implements Abandonable {
        private final BlobId id;
        private final BlobRange range;

        /** Guarded by this, like the next one. */
        private @Nullable CompletionStage<BlobBytes> current;

        private boolean isUnwanted;

        Read(BlobId id, BlobRange range) {
            this.id = id;
            this.range = range;
        }

        Read started() {
            if (range.isAfresh()) {
                ask(store(), failure -> ask(fast, other -> fail(other, failure)));
            } else {
                ask(fast, failure -> {
                    metrics.add(Counter.FAST_GET_FAILURES, 1);
                    ask(store(), other -> fail(failure, other));
                });
            }
            return this;
        }

        private void ask(BlobStore store, Consumer<Throwable> otherwise) {
            CompletionStage<BlobBytes> stage = TwoSpeedBlobStore.started(() -> store.get(id, range));
            boolean isAbandoned;
            synchronized (this) {
                current = stage;
                isAbandoned = isUnwanted;
            }
            if (isAbandoned) {
                Abandonable.abandon(stage);
            }
            var ignored = stage.whenComplete((bytes, failure) -> {
                if (failure == null) {
                    if (!complete(bytes)) {
                        bytes.close();
                    }
                } else if (isUnwanted()) {
                    boolean alsoIgnored = completeExceptionally(cause(failure));
                } else {
                    otherwise.accept(cause(failure));
                }
            });
        }

        private synchronized boolean isUnwanted() {
            return isUnwanted;
        }

        private void fail(Throwable ofFast, Throwable ofDurable) {
            boolean isKnown = !(ofDurable instanceof BlobMissingException)
                    || ofFast instanceof ClosedException
                    || ofFast instanceof BlobMissingException && !isYoung();
            boolean ignored = completeExceptionally(isKnown ? ofDurable : notYet(ofFast));
        }

        private StoreUnavailableException notYet(Throwable ofFast) {
            return new StoreUnavailableException(
                    "Cannot read blob " + id + ": it is not in " + store().location() + " yet, and " + fast.location()
                            + " does not have it or does not answer (" + ofFast.getMessage()
                            + "). Wait for its writer, or restore the fast store.",
                    ofFast);
        }

        private boolean isYoung() {
            return time.wallMillis() - id.generation() * BlobId.MILLIS_PER_GENERATION < missingFromMillis;
        }

        @Override
        public void abandon() {
            CompletionStage<BlobBytes> running;
            synchronized (this) {
                isUnwanted = true;
                running = current;
            }
            if (running != null) {
                Abandonable.abandon(running);
            }
        }
    }

    /** Deletes both copies. The durable store decides; a copy that stays fast is swept later. */
    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        return both(started(() -> fast.delete(ids)), store().delete(ids), Optional.empty(), (copies, blobs) -> blobs);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return both(
                started(() -> fast.list(owner, generation)),
                store().list(owner, generation),
                Optional.of(List.of()),
                TwoSpeedBlobStore::union);
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return both(
                started(() -> fast.list(owner, generations)),
                store().list(owner, generations),
                Optional.of(List.of()),
                TwoSpeedBlobStore::union);
    }

    private static List<StoredBlob> union(List<StoredBlob> copies, List<StoredBlob> blobs) {
        Map<BlobId, Instant> all = new HashMap<>();
        Stream.concat(copies.stream(), blobs.stream())
                .forEach(blob -> all.merge(blob.id(), blob.stored(), TwoSpeedBlobStore::later));
        List<StoredBlob> union = new ArrayList<>(all.size());
        all.forEach((id, stored) -> union.add(new StoredBlob(id, stored)));
        return union;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return both(
                started(() -> fast.generations(owner)),
                store().generations(owner),
                Optional.of(List.of()),
                TwoSpeedBlobStore::distinct);
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return both(started(fast::owners), store().owners(), Optional.of(List.of()), TwoSpeedBlobStore::distinct);
    }

    private static <T> List<T> distinct(List<T> one, List<T> other) {
        return Stream.concat(one.stream(), other.stream()).distinct().toList();
    }

    /** Joins the answers of both; without the fast store's, if that fails. */
    private <T> CompletionStage<T> both(
            CompletionStage<T> quick, CompletionStage<T> sure, Optional<T> otherwise, Join<T> join) {
        return quick.handle((answer, failure) -> {
                    if (failure != null) {
                        leftOut(cause(failure));
                        return otherwise;
                    }
                    isLeftOut.set(false);
                    return Optional.ofNullable(answer);
                })
                .thenCombine(sure, (answer, known) -> answer.isPresent() ? join.of(answer.get(), known) : known);
    }

    private interface Join<T> {
        T of(T quick, T sure);
    }

    private void leftOut(Throwable cause) {
        if (!(cause instanceof ClosedException) && isLeftOut.compareAndSet(false, true)) {
            LOG.warn(
                    "Copies in {} are not listed or deleted ({}). A later sweep does it. Restore the store.",
                    fast.location(),
                    cause.toString());
        }
    }

    /** Facts about both. The fast store's blobs may expire early, so its rules are left out. */
    @Override
    public Optional<StoreInspection> inspect() {
        Optional<StoreInspection> known = store().inspect();
        Optional<StoreInspection> copies = fast.inspect();
        if (known.isEmpty() && copies.isEmpty()) {
            return Optional.empty();
        }
        List<StoreFinding> findings = new ArrayList<>();
        known.ifPresent(inspection -> findings.addAll(inspection.findings()));
        copies.stream()
                .flatMap(inspection -> inspection.findings().stream())
                .filter(finding -> !finding.subject().equals("lifecycle"))
                .map(finding -> new StoreFinding(
                        finding.level(), "fast: " + finding.subject(), finding.what(), finding.remedy()))
                .forEach(findings::add);
        return Optional.of(new StoreInspection(known.flatMap(StoreInspection::clockAhead), findings));
    }

    @Override
    public boolean isRemote() {
        return fast.isRemote() || store().isRemote();
    }

    @Override
    public String location() {
        return TwoSpeedUri.location(fast.location(), store().location());
    }

    @Override
    public void close() {
        gauge.close();
        fast.close();
        super.close();
    }
}
