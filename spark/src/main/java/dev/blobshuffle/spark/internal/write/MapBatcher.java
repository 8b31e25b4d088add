package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs the outputs of an executor's maps into blobs, one open blob per shuffle, and uploads them.
 * Outputs stay in their files until then, so it holds some kilobytes per map. Two uploads run at a
 * time. Thread-safe.
 */
public final class MapBatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MapBatcher.class);
    private static final int UPLOADS = 2;

    private final Target target;
    private final BlobStore store;
    private final DirectoryClient directory;
    private final PackingRule rule;
    private final LocalDisk disk;
    private final Time time;
    private final Time.Workers uploads;
    private final long writer;
    private final AtomicLong sequence = new AtomicLong();

    /** The open blob of each shuffle. Guarded by this. */
    private final Map<Integer, OpenBlob> filling = new HashMap<>();

    /** All blobs that are not stored. Guarded by this. */
    private final Map<Integer, Set<OpenBlob>> pending = new HashMap<>();

    private final KeptOutputs kept = new KeptOutputs();

    /** Blobs wait for nothing any more, because the executor is about to end. */
    private boolean isLeaving;

    private boolean isClosed;

    /**
     * Where blobs go.
     *
     * @param owner of the application's blobs
     * @param application its id, which blobs name
     */
    public record Target(BlobStore store, int owner, String application) {}

    /** A batcher of an executor. */
    public MapBatcher(Target target, DirectoryClient directory, PackingRule rule, LocalDisk disk, Time time) {
        this.target = target;
        store = target.store;
        this.directory = directory;
        this.rule = rule;
        this.disk = disk;
        this.time = time;
        uploads = time.blockingWorkers("blobshuffle-spark-upload", UPLOADS);
        writer = BlobId.writer(time.randomLong());
    }

    /**
     * Takes the output of a map. Blocks until the driver knows the blob, and, if outputs are
     * released, until the store has it.
     *
     * @return the blob that the output belongs to; empty if it stays where Spark's writer put it
     * @throws BlobShuffleException recoverable: Spark runs the map again
     */
    public Optional<BlobId> add(MapOutput output) {
        if (!rule.takes(output)) {
            return Optional.empty();
        }
        OpenBlob blob;
        do {
            blob = place(output);
        } while (!await(blob));
        return Optional.of(blob.id);
    }

    /** Returns false if the output needs another blob. */
    private boolean await(OpenBlob blob) {
        try {
            boolean isKnown = blob.announced.get();
            if (isKnown && rule.whenStored() == PackingRule.WhenStored.RELEASE) {
                Void ignored = blob.stored.get();
            }
            return isKnown;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof BlobShuffleException failure
                    ? failure
                    : new StoreUnavailableException(
                            "Cannot store blob " + blob.id + ": " + e.getCause() + ". Spark runs the map again.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(
                    "Cannot store blob " + blob.id + ": the task was interrupted. Spark runs it again if needed.", e);
        }
    }

    private OpenBlob place(MapOutput output) {
        OpenBlob blob;
        OpenBlob begun = null;
        boolean isTight = disk.isTight(output.file());
        synchronized (this) {
            OpenBlob current = filling.get(output.shuffle());
            if (current != null && current.isTooFullFor(output, rule)) {
                seal(current);
                current = null;
            }
            if (current == null) {
                begun = begin(output.shuffle());
                current = begun;
            }
            current.add(output);
            if (current.isFull(rule)) {
                seal(current);
            }
            blob = current;
            if (isTight) {
                pending.values().stream().flatMap(Set::stream).toList().forEach(this::startUpload);
                uploads.execute(this::relieve);
            } else if (isLeaving) {
                startUpload(current);
            }
        }
        if (begun != null) {
            announce(begun);
        }
        return blob;
    }

    private OpenBlob begin(int shuffle) {
        long minute = time.wallMillis() / BlobId.MILLIS_PER_GENERATION;
        OpenBlob blob = new OpenBlob(new BlobId(target.owner, minute, writer, sequence.getAndIncrement()), shuffle);
        filling.put(shuffle, blob);
        pending.computeIfAbsent(shuffle, id -> new HashSet<>()).add(blob);
        time.schedule(rule.age(), () -> startUpload(blob));
        return blob;
    }

    private void announce(OpenBlob blob) {
        try {
            if (directory.open(blob.id, blob.shuffle)) {
                hasten(blob);
            }
            blob.announced.complete(true);
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                forget(blob);
            }
            boolean isKilled = Thread.currentThread().isInterrupted();
            boolean ignored = isKilled ? blob.announced.complete(false) : blob.announced.completeExceptionally(e);
            throw e;
        }
    }

    /** Executors of other zones read the blob from the store, so it must be there soon. */
    private synchronized void hasten(OpenBlob blob) {
        blob.isAwaited = true;
        if (blob.state == OpenBlob.State.SEALED) {
            startUpload(blob);
        } else {
            time.schedule(rule.awayAge(), () -> startUpload(blob));
        }
    }

    /** Takes no further map. An upload that maps or readers wait for begins. */
    private void seal(OpenBlob blob) {
        filling.remove(blob.shuffle, blob);
        blob.state = OpenBlob.State.SEALED;
        if (rule.whenStored() == PackingRule.WhenStored.RELEASE || blob.isAwaited) {
            startUpload(blob);
        }
    }

    private synchronized void startUpload(OpenBlob blob) {
        if (isClosed || blob.state == OpenBlob.State.DROPPED || blob.state == OpenBlob.State.UPLOADING) {
            return;
        }
        filling.remove(blob.shuffle, blob);
        blob.state = OpenBlob.State.UPLOADING;
        uploads.execute(() -> upload(blob));
    }

    private void upload(OpenBlob blob) {
        try {
            if (!blob.announced.join()) {
                blob.stored.complete(null); // Its maps are in other blobs.
                return;
            }
            if (!directory.uploading(blob.id)) {
                synchronized (this) {
                    giveUp(blob, "its shuffle or micro-batch is over, or the application ends");
                }
                return;
            }
            BlobContent content = BlobWriting.content(
                    blob.id, store.fingerprint(), target.application, blob.outputs, time.wallMillis());
            try {
                store.put(blob.id, content).toCompletableFuture().join();
            } finally {
                content.release();
            }
            finish(blob, content.length());
        } catch (RuntimeException | Error e) { // A map may wait for the blob.
            fail(blob, e instanceof CompletionException && e.getCause() != null ? e.getCause() : e);
        }
    }

    /** Frees the disk of outputs that are in the store too. Readers that have a file go on. */
    private void relieve() {
        List<KeptOutputs.Blob> blobs = kept.takeAll();
        for (KeptOutputs.Blob blob : blobs) {
            boolean ignored = directory.stored(
                    blob.id(), blob.length(), false, blob.outputs().size());
            blob.outputs().values().forEach(Runnable::run);
        }
        if (!blobs.isEmpty()) {
            LOG.info("The disk has little room: deleted the local outputs of {} stored blobs.", blobs.size());
        }
    }

    private void finish(OpenBlob blob, long length) {
        boolean keeps = rule.whenStored() == PackingRule.WhenStored.KEEP
                && !disk.isTight(blob.outputs.get(0).file());
        boolean isWanted = directory.stored(blob.id, length, keeps, blob.outputs.size());
        synchronized (this) {
            forget(blob);
        }
        if (!isWanted) {
            store.delete(List.of(blob.id)).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.info("Blob {} of a removed shuffle stays until the application ends.", blob.id, failure);
                }
            });
        } else if (keeps) {
            kept.add(blob.shuffle, KeptOutputs.Blob.of(blob, length));
        } else {
            blob.outputs.forEach(output -> output.release().run());
        }
        blob.stored.complete(null);
    }

    private void fail(OpenBlob blob, Throwable failure) {
        boolean isWaitedFor = rule.whenStored() == PackingRule.WhenStored.RELEASE;
        synchronized (this) {
            boolean isDropped = blob.state == OpenBlob.State.DROPPED;
            boolean isGone = blob.outputs.stream().map(MapOutput::file).anyMatch(Files::notExists);
            if (isWaitedFor || isDropped) {
                forget(blob);
            } else if (isGone) {
                LOG.warn(
                        "Cannot upload blob {}: outputs of maps are gone from this executor's disk, and these maps run"
                                + " again if they are needed. Look who deletes there.",
                        blob.id,
                        failure);
                forget(blob);
            } else if (!isClosed) { // It is still to be stored, and a flush still waits for it.
                LOG.warn(
                        "Cannot upload blob {}. The next attempt is in {}. Check the store.",
                        blob.id,
                        rule.age(),
                        failure);
                blob.state = OpenBlob.State.SEALED;
                time.schedule(rule.age(), () -> startUpload(blob));
                return;
            }
        }
        blob.stored.completeExceptionally(failure);
    }

    private void forget(OpenBlob blob) {
        filling.remove(blob.shuffle, blob);
        blob.state = OpenBlob.State.DROPPED;
        Set<OpenBlob> others = pending.get(blob.shuffle);
        if (others != null) {
            others.remove(blob);
            if (others.isEmpty()) {
                pending.remove(blob.shuffle);
            }
        }
    }

    /** Spark has removed a shuffle: what is not stored yet need not be. */
    public synchronized void drop(int shuffle) {
        kept.drop(shuffle);
        for (OpenBlob blob : new ArrayList<>(pending.getOrDefault(shuffle, Set.of()))) {
            giveUp(blob, "Spark has removed its shuffle");
        }
    }

    /** A map that waits for the blob goes on. An upload that runs ends by itself. */
    private void giveUp(OpenBlob blob, String reason) {
        forget(blob);
        blob.stored.completeExceptionally(new StoreUnavailableException(
                "Cannot store blob " + blob.id + ": " + reason + ". Spark runs its maps again if it needs them."));
    }

    /**
     * Uploads now what is not stored yet. Blocks until it is, or the time is over.
     *
     * @return whether all is stored
     */
    public boolean flush(Duration most) {
        List<CompletableFuture<Void>> stored;
        synchronized (this) {
            List<OpenBlob> blobs =
                    pending.values().stream().flatMap(Set::stream).toList();
            blobs.forEach(this::startUpload);
            stored = blobs.stream().map(blob -> blob.stored).toList();
        }
        try {
            Void ignored = CompletableFuture.allOf(stored.toArray(CompletableFuture<?>[]::new))
                    .get(most.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.info("Some of {} blobs are not uploaded within {}.", stored.size(), most, e);
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Uploads what is not stored yet, and from now on each output at once: the executor is about to
     * end. Blocks as {@link #flush} does.
     */
    public boolean leave(Duration most) {
        synchronized (this) {
            isLeaving = true;
        }
        return flush(most);
    }

    /** Whether the output of an attempt is in the store, and its file here. */
    public boolean isStored(int shuffle, long attempt) {
        return kept.has(shuffle, attempt);
    }

    /** How many blobs are not stored yet. */
    public synchronized int pending() {
        return pending.values().stream().mapToInt(Set::size).sum();
    }

    /** Ends. What is not stored yet stays local. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            pending.values().stream().flatMap(Set::stream).toList().forEach(blob -> giveUp(blob, "the executor ends"));
        }
        uploads.close();
    }
}
