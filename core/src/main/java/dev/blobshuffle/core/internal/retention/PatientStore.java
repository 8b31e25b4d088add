package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.format.Container;
import dev.blobshuffle.core.internal.format.ContainerCodec;
import dev.blobshuffle.core.internal.format.ContentKind;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoredBlob;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A blocking view of a store for background work. Every call waits for its answer and is retried a
 * few times while the store is unavailable. Throws the failures of the store's contract. Owned by
 * one thread.
 */
public final class PatientStore {
    /** The most footers requested at once. */
    static final int AT_ONCE = 64;

    private static final int ATTEMPTS = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    /** The number of bytes at the end of a blob that are read first; most footers are shorter. */
    private static final int TAIL = 16 << 10;

    private final BlobStore store;
    private final StopSignal stopSignal;
    private final RequestMeter meter;

    /** A store without request counting. */
    public PatientStore(BlobStore store, StopSignal stopSignal) {
        this(store, stopSignal, RequestMeter.NONE);
    }

    /** @param meter counts each get and put; the store itself counts all other requests */
    PatientStore(BlobStore store, StopSignal stopSignal, RequestMeter meter) {
        this.store = store;
        this.stopSignal = stopSignal;
        this.meter = meter;
    }

    /**
     * The facts at the end of a blob.
     *
     * @param length the length of the blob, bytes
     * @param kind the content kind; empty if the blob's end is damaged
     * @param partitions the partitions of its records; empty if it contains none, or if its end is
     *     damaged
     */
    record Contents(long length, Optional<ContentKind> kind, Optional<Set<Partition>> partitions) {
        boolean isDamaged() {
            return kind.isEmpty();
        }

        Optional<Set<String>> topics() {
            return partitions.map(
                    known -> known.stream().map(Partition::stream).collect(Collectors.toUnmodifiableSet()));
        }
    }

    /** As {@link BlobStore#fingerprint()}. */
    public int fingerprint() {
        return store.fingerprint();
    }

    /** As {@link BlobStore#location()}. */
    public String location() {
        return store.location();
    }

    /** The owners that may have blobs, in order. */
    public List<Integer> owners() throws InterruptedException {
        return await(store::owners).stream().sorted().toList();
    }

    /** The minutes in which an owner has blobs, in order. */
    public List<Long> generations(int owner) throws InterruptedException {
        return await(() -> store.generations(owner)).stream().sorted().toList();
    }

    /** The blobs of an owner in several minutes, in order. */
    public List<StoredBlob> list(int owner, GenerationSpan generations) throws InterruptedException {
        return sorted(await(() -> store.list(owner, generations)));
    }

    private static List<StoredBlob> sorted(List<StoredBlob> blobs) {
        return blobs.stream().sorted(Comparator.comparing(StoredBlob::id)).toList();
    }

    void put(BlobId id, BlobContent content) throws InterruptedException {
        Void ignored = await(() -> {
            meter.sent(RequestMeter.Request.PUT);
            return store.put(id, content);
        });
    }

    /** A small blob as text; empty if it is gone. */
    Optional<String> text(BlobId id) throws InterruptedException {
        Optional<Long> length = length(id);
        return length.isEmpty()
                ? Optional.empty()
                : await(() -> orGone(tail(id, length.get(), Math.min(TAIL, length.get()))
                        .thenApply(bytes ->
                                Optional.of(StandardCharsets.UTF_8.decode(bytes).toString()))));
    }

    /** Deletes blobs. A missing blob is not a failure. */
    public void delete(List<BlobId> ids) throws InterruptedException {
        Void ignored = await(() -> store.delete(ids));
    }

    /** The length of a blob in bytes; empty if it is gone. */
    public Optional<Long> length(BlobId id) throws InterruptedException {
        return await(() -> orGone(store.length(id).thenApply(Optional::of)));
    }

    /**
     * The contents of a few blobs; empty for a blob that is gone. Two or three requests per blob.
     */
    List<Optional<Contents>> contents(List<BlobId> ids) throws InterruptedException {
        List<CompletableFuture<Optional<Contents>>> asked = ids.stream()
                .map(id -> orGone(contents(id).thenApply(Optional::of)).toCompletableFuture())
                .toList();
        List<Optional<Contents>> answers = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            BlobId id = ids.get(i);
            CompletableFuture<Optional<Contents>> first = asked.get(i);
            boolean[] isAsked = {false};
            answers.add(await(() -> {
                boolean again = isAsked[0];
                isAsked[0] = true;
                return again ? orGone(contents(id).thenApply(Optional::of)) : first;
            }));
        }
        return answers;
    }

    private CompletionStage<Contents> contents(BlobId id) {
        return store.length(id)
                .thenCompose(length -> end(id, length).handle((contents, failure) -> {
                    if (failure == null) {
                        return contents;
                    }
                    if (unwrapped(failure) instanceof BlobCorruptException) {
                        return new Contents(length, Optional.empty(), Optional.empty());
                    }
                    throw new CompletionException(unwrapped(failure));
                }));
    }

    private CompletionStage<Contents> end(BlobId id, long length) {
        return tail(id, length, Math.min(length, TAIL))
                .thenCompose(tail -> {
                    int needed = Trailer.read(tail).tailLength();
                    return needed <= tail.remaining()
                            ? CompletableFuture.completedFuture(tail)
                            : tail(id, length, Math.min(length, needed));
                })
                .thenApply(tail -> contents(tail, length));
    }

    private CompletionStage<ByteBuffer> tail(BlobId id, long length, long bytes) {
        meter.sent(RequestMeter.Request.GET);
        return store.get(id, BlobRange.of(length - bytes, bytes)).thenApply(PatientStore::copy);
    }

    private static ByteBuffer copy(BlobBytes read) {
        try (read) {
            byte[] bytes = new byte[read.buffer().remaining()];
            read.buffer().duplicate().get(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }

    /** The footer of other content names partitions of its engine, which have no logs here. */
    private static Contents contents(ByteBuffer tail, long length) {
        if (Trailer.read(tail).kind() != ContentKind.RECORDS) {
            Container container = ContainerCodec.decode(tail, length);
            return new Contents(length, Optional.of(container.kind()), Optional.empty());
        }
        Set<Partition> partitions = FooterCodec.decode(tail, length).segments().stream()
                .map(Footer.Segment::partition)
                .collect(Collectors.toUnmodifiableSet());
        return new Contents(length, Optional.of(ContentKind.RECORDS), Optional.of(partitions));
    }

    /** Maps a missing blob to empty, because another sweeper may delete blobs at the same time. */
    private static <T> CompletionStage<Optional<T>> orGone(CompletionStage<Optional<T>> stage) {
        return stage.exceptionally(failure -> {
            if (unwrapped(failure) instanceof BlobMissingException) {
                return Optional.empty();
            }
            throw new CompletionException(unwrapped(failure));
        });
    }

    private <T> T await(Supplier<CompletionStage<T>> request) throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        for (int attempt = 1; ; attempt++) {
            stopSignal.check();
            try {
                return stopSignal.await(request.get());
            } catch (CompletionException e) {
                Throwable cause = unwrapped(e);
                boolean isWorthIt =
                        cause instanceof StoreUnavailableException && !(cause instanceof StoreRefusedException);
                if (!isWorthIt || attempt == ATTEMPTS) {
                    throw cause instanceof BlobShuffleException failure ? failure : e;
                }
            }
            stopSignal.rest(pause);
            pause = pause.multipliedBy(2);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
