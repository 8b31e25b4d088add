package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.combine.PartRefusedException.Reason;
import dev.blobshuffle.core.internal.concurrent.References;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.SharedContent;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores the small blobs of a zone's instances as combined blobs. It answers a part after the
 * combined blob is stored, never before. It keeps no state that matters: whatever it forgets, the
 * contributors store by themselves.
 *
 * <p>Parts of one owner and generation wait together. They are stored when they reach the size of a
 * blob, when each live writer has handed one over, or when the window is over.
 *
 * <p>Thread-safe. The monitor guards the waiting parts, and is not held during calls of the store.
 */
public final class Hub implements AutoCloseable {
    private final BlobStore store;
    private final CombineOptions options;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final long writer;
    private final IntPredicate isOwn;
    private final AtomicLong sequence;
    private final AtomicLong held = new AtomicLong();
    private final ShuffleMetrics.Registration gauge;

    /** Guarded by this, like the fields below. */
    private final Map<Key, Waiting> waiting = new HashMap<>();

    /** When each writer of an owner handed over its last part; monotonic, nanoseconds. */
    private final Map<Writer, Long> lastParts = new HashMap<>();

    private boolean isClosed;

    /** Parts of different keys never share a blob. */
    private record Key(int owner, long generation) {}

    private record Writer(int owner, long number) {}

    /** A part, and its writer, which waits for the answer. */
    private record Entry(Part part, References content, CompletableFuture<PartAnswer> answer) {}

    /** Parts that are not being stored yet. Guarded by the hub's monitor. */
    private static final class Waiting {
        private final List<Entry> entries = new ArrayList<>();
        private final Set<Long> writers = new HashSet<>();
        private long bytes;
        private Time.@Nullable Cancellable window;
    }

    /**
     * A hub.
     *
     * @param store stores the combined blobs; the caller closes it after this
     * @param names the writer of the combined blobs' ids, and their first sequence: no other blob
     *     has an id of them
     * @param isOwn whether the hub stores for an owner
     */
    public Hub(
            BlobStore store,
            CombineOptions options,
            Time time,
            ShuffleMetrics metrics,
            Names names,
            IntPredicate isOwn) {
        this.store = store;
        this.options = options;
        this.time = time;
        this.metrics = metrics;
        this.isOwn = isOwn;
        writer = names.writer();
        sequence = new AtomicLong(names.firstSequence());
        gauge = metrics.report(Gauge.COMBINE_BUFFER_USED, held::get);
    }

    /**
     * The names of a hub's blobs.
     *
     * @param writer the writer in their ids
     * @param firstSequence the sequence of the first one
     */
    public record Names(long writer, long firstSequence) {
        /** A Batcher with the same writer never counts so far. */
        private static final long BEYOND_BATCHERS = 1L << 48;

        /** The names of a hub beside a Batcher that has the same writer. */
        public static Names beside(long writer) {
            return new Names(writer, BEYOND_BATCHERS);
        }
    }

    /** The longest part that the hub accepts, bytes. */
    public long longestPart() {
        return options.partBytes();
    }

    /**
     * Reserves memory for a part before it is received.
     *
     * @return false: the memory is full
     */
    public boolean reserve(long bytes) {
        long before;
        do {
            before = held.get();
            if (bytes > options.bufferBytes() - before) {
                metrics.add(Counter.PARTS_TURNED_AWAY, 1);
                return false;
            }
        } while (!held.compareAndSet(before, before + bytes));
        return true;
    }

    /** Returns reserved memory whose part was not received. */
    public void release(long bytes) {
        held.addAndGet(-bytes);
    }

    /**
     * Takes a part whose memory is {@linkplain #reserve reserved}. The hub returns the reservation
     * and runs {@code whenReleased} when it needs the bytes no more.
     *
     * @param id the part's own id
     * @param bytes the whole blob; must not change before it is released
     * @return the answer after the combined blob is stored. It fails with
     *     {@link PartRefusedException} if the part cannot be combined, and as {@link BlobStore#put}
     *     if the combined blob cannot be stored
     */
    public CompletionStage<PartAnswer> take(BlobId id, ByteBuffer bytes, Runnable whenReleased) {
        long length = bytes.remaining();
        References content = new References(1, () -> "part " + id, () -> {
            release(length);
            whenReleased.run();
        });
        try {
            if (!isOwn.test(id.owner())) {
                throw new PartRefusedException(
                        Reason.FOREIGN,
                        "Cannot combine blob " + id + ": this hub stores for another owner. Its writer stores it.");
            }
            Entry entry = new Entry(Part.read(id, store.fingerprint(), bytes), content, new CompletableFuture<>());
            metrics.add(Counter.PARTS_TAKEN, 1);
            enter(entry, length);
            return entry.answer();
        } catch (RuntimeException | Error e) {
            content.release();
            if (e instanceof Error error) {
                throw error;
            }
            return CompletableFuture.failedFuture(e);
        }
    }

    private void enter(Entry entry, long length) {
        BlobId id = entry.part().footer().id();
        Key key = new Key(id.owner(), id.generation());
        Waiting full = null;
        Waiting complete = null;
        synchronized (this) {
            if (isClosed) {
                throw new PartRefusedException(
                        Reason.BUSY, "Cannot combine blob " + id + ": the hub is closing. Its writer stores it.");
            }
            Waiting group = waiting.get(key);
            if (group != null && group.bytes + length > options.blobBytes()) {
                full = remove(key, group);
                group = null;
            }
            if (group == null) {
                group = open(key);
            }
            group.entries.add(entry);
            group.writers.add(id.writer());
            group.bytes += length;
            lastParts.put(new Writer(id.owner(), id.writer()), time.nanos());
            if (group.bytes >= options.blobBytes() || group.writers.containsAll(liveWriters(id.owner()))) {
                complete = remove(key, group);
            }
        }
        store(key, full);
        store(key, complete);
    }

    private Waiting open(Key key) {
        Waiting group = new Waiting();
        waiting.put(key, group);
        group.window = time.schedule(options.window(), () -> windowIsOver(key, group));
        return group;
    }

    private void windowIsOver(Key key, Waiting group) {
        synchronized (this) {
            if (waiting.get(key) != group) {
                return;
            }
            remove(key, group);
        }
        store(key, group);
    }

    private Waiting remove(Key key, Waiting group) {
        waiting.remove(key);
        if (group.window != null) {
            group.window.cancel();
        }
        return group;
    }

    private Set<Long> liveWriters(int owner) {
        long now = time.nanos();
        lastParts.values().removeIf(last -> now - last > options.live().toNanos());
        Set<Long> live = new HashSet<>();
        for (Writer each : lastParts.keySet()) {
            if (each.owner() == owner) {
                live.add(each.number());
            }
        }
        return live;
    }

    private void store(Key key, @Nullable Waiting group) {
        if (group == null) {
            return;
        }
        List<Entry> entries = List.copyOf(group.entries);
        References references = new References(
                1,
                () -> "a combined blob",
                () -> entries.forEach(entry -> entry.content().release()));
        CompletionStage<CombinedBlob> stored;
        try {
            stored = put(key, entries, references);
        } catch (RuntimeException e) {
            stored = CompletableFuture.failedFuture(e);
        }
        var ignored = stored.whenComplete((blob, failure) -> {
            references.release();
            end(entries, blob, failure);
        });
    }

    private CompletionStage<CombinedBlob> put(Key key, List<Entry> entries, References references) {
        BlobId id = new BlobId(key.owner(), key.generation(), writer, sequence.getAndIncrement());
        CombinedBlob blob = CombinedBlob.of(
                id, time.wallMillis(), entries.stream().map(Entry::part).toList());
        BlobContent content = new SharedContent(BlobContent.of(blob.buffers(), () -> {}), blob.sections(), references);
        return store.put(id, content).thenApply(stored -> blob);
    }

    private void end(List<Entry> entries, @Nullable CombinedBlob blob, @Nullable Throwable failure) {
        if (blob != null) {
            metrics.add(Counter.BLOBS_COMBINED, 1);
            metrics.add(Counter.BLOBS_STORED, 1);
            for (int i = 0; i < entries.size(); i++) {
                entries.get(i).answer().complete(blob.answers().get(i));
            }
        } else {
            entries.forEach(entry -> entry.answer().completeExceptionally(cause(failure)));
        }
    }

    private static Throwable cause(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return Objects.requireNonNull(cause);
    }

    /**
     * Refuses all waiting and later parts. Parts that are being stored end with the store.
     * Idempotent.
     */
    @Override
    public void close() {
        List<Waiting> left;
        synchronized (this) {
            isClosed = true;
            left = List.copyOf(waiting.values());
            left.forEach(group -> {
                if (group.window != null) {
                    group.window.cancel();
                }
            });
            waiting.clear();
        }
        BlobShuffleException closing = new PartRefusedException(
                Reason.BUSY, "Cannot combine a blob: the hub is closing. Its writer stores it.");
        for (Waiting group : left) {
            for (Entry entry : group.entries) {
                entry.content().release();
                entry.answer().completeExceptionally(closing);
            }
        }
        gauge.close();
    }
}
