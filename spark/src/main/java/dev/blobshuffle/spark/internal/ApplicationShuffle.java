package dev.blobshuffle.spark.internal;

import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.settings.SparkSettings;
import dev.blobshuffle.spark.internal.settings.StorePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffles of one application, as its driver sees them: the store's place, the directory of
 * blobs, and their end. Spark has one application per process. Thread-safe.
 */
final class ApplicationShuffle implements BlobDirectory.Application {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationShuffle.class);
    private static final AtomicReference<Optional<ApplicationShuffle>> CURRENT =
            new AtomicReference<>(Optional.empty());

    /** How long the driver looks for lost blobs. Other requests of executors wait meanwhile. */
    private static final Duration LOOK = Duration.ofSeconds(30);

    private final String store;
    private final ShuffleInstance instance;
    private final BlobDirectory directory = new BlobDirectory(this);
    private final BooleanSupplier isEnding;

    private ApplicationShuffle(String store, ShuffleInstance instance, BooleanSupplier isEnding) {
        this.store = store;
        this.instance = instance;
        this.isEnding = isEnding;
    }

    /**
     * Opens that of this process, in a new place of a store. Blocks until the store answers.
     *
     * @param parent URI of the store
     * @param isEnding whether no executor reads blobs any more
     */
    static ApplicationShuffle open(SparkConf conf, String parent, BooleanSupplier isEnding) {
        SystemTime time = new SystemTime();
        String store = StorePlace.below(parent, time.wallMillis(), time.randomLong());
        time.close();
        ShuffleInstance instance =
                ShuffleInstance.builder(SparkSettings.withStore(conf, store)).open();
        ApplicationShuffle opened = new ApplicationShuffle(store, instance, isEnding);
        CURRENT.set(Optional.of(opened));
        LOG.info(
                "The shuffles of this application are in {}.",
                instance.engine().store().location());
        return opened;
    }

    /** That of this process. */
    static ApplicationShuffle current() {
        return Objects.requireNonNull(CURRENT.get())
                .orElseThrow(() -> new IllegalStateException(
                        "Cannot shuffle through a store: the driver has no plug-in. Set spark.plugins."));
    }

    /** The URI of its place. */
    String store() {
        return store;
    }

    BlobDirectory directory() {
        return directory;
    }

    /**
     * Unregisters the maps of all blobs that were lost with an executor. Otherwise Spark would find
     * one blob per attempt of a stage, and give up after four.
     */
    void executorLost(String executor) {
        List<BlobId> lost = directory.executorLost(executor);
        lost.forEach(ApplicationShuffle::unregister);
        if (!lost.isEmpty()) {
            LOG.info("Executor {} had {} blobs that were not uploaded yet.", executor, lost.size());
        }
    }

    private static void unregister(BlobId blob) {
        if (SparkEnv.get().mapOutputTracker() instanceof MapOutputTrackerMaster tracker) {
            tracker.removeOutputsOnExecutor(BlobLocation.executor(blob));
        }
    }

    /**
     * A stored blob is gone. Looks for the others of its shuffle, because whatever deleted one may
     * have deleted all. Costs a request for each.
     */
    @Override
    public void lost(BlobId reported) {
        BlobStore blobs = instance.engine().store();
        Map<BlobId, CompletableFuture<Boolean>> missing = new LinkedHashMap<>();
        for (BlobId blob : directory.storedOnlyWith(reported)) {
            missing.put(
                    blob,
                    blobs.length(blob)
                            .handle((length, failure) -> isMissing(failure))
                            .toCompletableFuture());
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(missing.values().toArray(CompletableFuture<?>[]::new));
        try {
            Void ignored = all.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("Some blobs beside {} did not answer.", reported, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        missing.values().removeIf(isMissing -> !isMissing.getNow(false));
        missing.keySet().forEach(blob -> {
            directory.vanished(blob);
            unregister(blob);
        });
        if (!missing.isEmpty()) {
            LOG.warn(
                    "{} shuffle blobs, such as {}, are not in {} any more. Their maps run again."
                            + " Look who deletes there.",
                    missing.size(),
                    reported,
                    blobs.location());
        }
    }

    @Override
    public boolean isEnding() {
        return isEnding.getAsBoolean();
    }

    private static boolean isMissing(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof BlobMissing;
    }

    /** Deletes the blobs of a shuffle, without waiting. */
    void removeShuffle(int shuffle) {
        List<BlobId> stored = directory.removeShuffle(shuffle);
        if (!stored.isEmpty()) {
            instance.engine().store().delete(stored).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.info("Blobs of shuffle {} stay until the application ends.", shuffle, failure);
                }
            });
        }
    }

    /** Deletes all blobs of the application, and closes. Blocks until the store answers. */
    void end() {
        Optional<ApplicationShuffle> current = Objects.requireNonNull(CURRENT.get());
        boolean isMine = current.filter(each -> each == this).isPresent();
        if (!isMine || !CURRENT.compareAndSet(current, Optional.empty())) {
            return;
        }
        BlobStore blobs = instance.engine().store();
        try {
            for (long generation :
                    blobs.generations(BlobId.NO_OWNER).toCompletableFuture().join()) {
                List<StoredBlob> left = blobs.list(BlobId.NO_OWNER, generation)
                        .toCompletableFuture()
                        .join();
                blobs.delete(left.stream().map(StoredBlob::id).toList())
                        .toCompletableFuture()
                        .join();
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "Cannot delete the shuffles of this application in {}. Delete them yourself.", blobs.location(), e);
        } finally {
            instance.close();
        }
        removeDirectories();
    }

    /** Directories of a file store hold a marker, and are the application's own. */
    private void removeDirectories() {
        StoreUri uri = StoreUri.parse(store);
        if (!uri.scheme().equals("file")) {
            return;
        }
        for (String directory : uri.path().split(",", -1)) {
            try (Stream<Path> tree = Files.walk(Path.of(directory))) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    boolean ignored = Files.deleteIfExists(path);
                }
            } catch (IOException e) {
                LOG.warn("Cannot delete {}. Delete it yourself.", directory, e);
            }
        }
    }
}
