package dev.blobshuffle.spark.internal;

import com.codahale.metrics.MetricRegistry;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.pricing.PriceTable;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.retention.LeaseWatch;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.directory.Usage;
import dev.blobshuffle.spark.internal.settings.SparkSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.spark.MapOutputTrackerMaster;
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

    /** How long the application's end waits for uploads that have begun. */
    private static final Duration LAST_UPLOADS = Duration.ofSeconds(10);

    /** How long it waits for a store that does not answer. */
    private static final Duration LAST_ANSWER = Duration.ofSeconds(10);

    /** How long an executor that Spark has removed may upload: longer than it tries. */
    private static final Duration LEAVING = Duration.ofSeconds(30);

    /**
     * Spark's reasons for the removal of an executor that goes on until it has stopped in order.
     */
    private static final List<String> IN_ORDER =
            List.of("Executor killed by driver", "Executor decommission", "Finished decommissioning");

    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private static final long MEGABYTE = 1_000_000;

    private final ShuffleInstance instance;

    /** Empty if the store has none. */
    private final Optional<PriceTable> prices;

    private final BlobDirectory directory = new BlobDirectory(this);
    private final BooleanSupplier isEnding;
    private final LeaseWatch lease;

    /** Whether Spark has started so far that it will end this by itself. */
    private volatile boolean isStarted;

    /** Executors that Spark has removed, and that may still upload. */
    private final Set<String> leaving = ConcurrentHashMap.newKeySet();

    private final Time.Workers farewell;

    /** The requests of each executor to the store, by its last report. */
    private final Map<String, Usage> usages = new ConcurrentHashMap<>();

    private ApplicationShuffle(
            ShuffleInstance instance, Optional<PriceTable> prices, LeaseWatch.Terms terms, BooleanSupplier isEnding) {
        this.instance = instance;
        this.prices = prices;
        this.isEnding = isEnding;
        farewell = instance.time().workers("blobshuffle-spark-farewell", 1);
        lease = LeaseWatch.begin(instance.engine().store(), terms, this::leaseLost, instance.time());
    }

    /**
     * Opens that of this process, with an owner of its own in the store. Blocks until the store
     * answers. Ends one that is left of an application that failed to start.
     *
     * @param isEnding whether no executor reads blobs any more
     */
    static ApplicationShuffle open(Settings settings, String application, BooleanSupplier isEnding) {
        Objects.requireNonNull(CURRENT.get()).ifPresent(ApplicationShuffle::end);
        ShuffleInstance instance = SparkSettings.opened(ShuffleInstance.builder(settings));
        try {
            LeaseWatch.Terms terms = new LeaseWatch.Terms(settings.value(SparkSettings.LEASE), "spark " + application);
            ApplicationShuffle opened = new ApplicationShuffle(instance, PriceTables.of(settings), terms, isEnding);
            CURRENT.set(Optional.of(opened));
            LOG.info(
                    "The shuffles of this application are in {}, owner {}.",
                    instance.engine().store().location(),
                    BlobId.hex(opened.owner()));
            return opened;
        } catch (RuntimeException e) {
            instance.close();
            throw e;
        }
    }

    /** That of this process. */
    static ApplicationShuffle current() {
        return Objects.requireNonNull(CURRENT.get())
                .orElseThrow(() -> new IllegalStateException(
                        "Cannot shuffle through a store: the driver has no plug-in. Set spark.plugins."));
    }

    /** Spark has started, and calls {@link #end} at its own end. */
    void started() {
        isStarted = true;
    }

    /** Ends that of this process if Spark fails to start, and so does not end it. */
    static void endUnlessStarted() {
        Objects.requireNonNull(CURRENT.get()).filter(left -> !left.isStarted).ifPresent(ApplicationShuffle::end);
    }

    /** Whose blobs its executors store. */
    int owner() {
        return lease.owner();
    }

    /** The driver stood still, and others may have deleted blobs. Their maps run again. */
    private void leaseLost() {
        directory
                .shuffles()
                .forEach(shuffle ->
                        directory.storedOnly(shuffle).stream().findFirst().ifPresent(this::lost));
    }

    /** Answers a request of an executor, also after the end. */
    static List<String> answer(List<?> request) {
        return Objects.requireNonNull(CURRENT.get())
                .map(running -> running.directory.answer(request))
                .orElseGet(() -> BlobDirectory.answerAfterEnd(request));
    }

    /**
     * Spark has removed an executor. If it stops in order, Spark removes it before it has uploaded
     * its last blobs. So their maps stay registered for a while, unless a reader misses one.
     *
     * @param reason as Spark gives it
     */
    void executorRemoved(String executor, String reason) {
        if (isEnding()) {
            return; // All executors go.
        }
        boolean isInOrder = IN_ORDER.stream().anyMatch(reason::startsWith);
        if (!isInOrder || !directory.hasUnstored(executor)) {
            boolean ignored = leaving.remove(executor);
            executorLost(executor);
            return;
        }
        unregister(executor);
        if (leaving.add(executor)) {
            Time.Cancellable ignored = instance.time().schedule(LEAVING, () -> startFarewell(executor));
        }
    }

    /** On the timer's thread. */
    private void startFarewell(String executor) {
        try {
            farewell.execute(() -> left(executor));
        } catch (ClosedException e) {
            LOG.trace("The application has ended.", e);
        }
    }

    /** An executor that was leaving is gone. */
    private void left(String executor) {
        if (leaving.remove(executor)) {
            executorLost(executor);
        }
    }

    /**
     * Unregisters the maps of all blobs that were lost with an executor, and those that were in no
     * blob. Otherwise Spark would find one blob or executor per attempt of a stage, and give up
     * after four: it leaves this to us, because our outputs are reliable by its terms.
     */
    private void executorLost(String executor) {
        if (isEnding()) {
            return; // All executors go.
        }
        List<BlobId> lost = directory.executorLost(executor);
        lost.forEach(ApplicationShuffle::unregister);
        unregister(executor);
        if (!lost.isEmpty()) {
            LOG.info("Executor {} had {} blobs that were not uploaded yet.", executor, lost.size());
        }
    }

    /**
     * A stage of a micro-batch begins, and the earlier micro-batches of its query are over.
     *
     * @param shuffle that it writes, if any
     */
    void stageOfBatch(String query, long batch, OptionalInt shuffle) {
        directory.stageOfBatch(query, batch, shuffle);
    }

    private static void unregister(BlobId blob) {
        unregister(BlobLocation.executor(blob));
    }

    private static void unregister(String executor) {
        if (SparkEnv.get().mapOutputTracker() instanceof MapOutputTrackerMaster tracker) {
            tracker.removeOutputsOnExecutor(executor);
        }
    }

    /**
     * A blob is gone. If it was not stored, neither are the others of its executor. If it was,
     * looks for the others of its shuffle, because whatever deleted one may have deleted all. Costs
     * a request for each.
     */
    @Override
    public void lost(BlobId reported) {
        directory.unstoredAt(reported).ifPresent(this::left);
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
    public void used(String executor, Usage usage) {
        usages.put(executor, usage);
    }

    /** The requests of driver and executors to the store. */
    private Usage usage() {
        return usages.values().stream().reduce(StoreUsage.of(instance), Usage::plus);
    }

    /** Shows what the driver knows in Spark's metrics. */
    void show(MetricRegistry registry) {
        StoreUsage.show(registry, "requests", () -> usage().requests());
        StoreUsage.show(registry, "requests.put", () -> usage().puts());
        StoreUsage.show(registry, "requests.get", () -> usage().gets());
        StoreUsage.show(registry, "cost.microdollars", () -> usage().microdollars());
        StoreUsage.show(registry, "blobs", directory::size);
        StoreUsage.show(registry, "maps.saved", directory::savedMaps);
        StoreUsage.show(registry, "bytes.across.natively", () -> usage().acrossNatively());
        StoreUsage.show(registry, "bytes.across", () -> usage().across());
    }

    /** The line that the driver logs at the end. */
    String summary() {
        Usage usage = usage();
        String cost = usage.microdollars() == 0
                ? ""
                : String.format(Locale.ROOT, ", about %.4f USD by list price", usage.microdollars() / 1e6);
        return usage.requests() + " requests to the store (" + usage.puts() + " writes, " + usage.gets() + " reads)"
                + cost + "; " + directory.savedMaps() + " maps did not run again when executors were lost"
                + zones(usage);
    }

    private String zones(Usage usage) {
        if (usage.acrossNatively() == 0) {
            return "";
        }
        String saved = prices.map(PriceTable::traffic)
                .map(traffic -> String.format(
                        Locale.ROOT,
                        ", which saved about %.4f USD",
                        traffic.of(usage.acrossNatively() - usage.across(), traffic.crossing())))
                .orElse("");
        return "; " + usage.across() / MEGABYTE + " MB crossed zones, where Spark alone would have sent "
                + usage.acrossNatively() / MEGABYTE + " MB" + saved;
    }

    @Override
    public boolean isEnding() {
        return isEnding.getAsBoolean();
    }

    private static boolean isMissing(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof BlobMissingException;
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

    /** Waits for uploads that have begun. From now on executors begin none. */
    private boolean areUploadsOver() {
        Time time = instance.time();
        Signal never = time.signal();
        long until = time.nanos() + LAST_UPLOADS.toNanos();
        try {
            while (directory.uploads() > 0 && time.nanos() - until < 0) {
                boolean ignored = never.await(never.count(), time.nanos() + LOOK_AGAIN.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return directory.uploads() == 0;
    }

    /**
     * Deletes all blobs of the application, and closes. Leaves them if the store does not answer.
     */
    void end() {
        Optional<ApplicationShuffle> current = Objects.requireNonNull(CURRENT.get());
        boolean isMine = current.filter(each -> each == this).isPresent();
        if (!isMine || !CURRENT.compareAndSet(current, Optional.empty())) {
            return;
        }
        try {
            if (areUploadsOver()) {
                lease.end(LAST_ANSWER);
            } else {
                lease.clear(LAST_ANSWER);
                lease.close();
                LOG.info("Executors still upload. Another application, or gc, deletes what is left.");
            }
        } catch (RuntimeException e) {
            LOG.warn(
                    "Cannot delete the shuffles of this application in {}. Another application, or gc, deletes them.",
                    instance.engine().store().location(),
                    e);
        } finally {
            LOG.info("The shuffles of this application: {}.", summary());
            farewell.close();
            instance.close();
        }
    }
}
