package dev.blobshuffle.core.internal.engine;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerNetworkProvider;
import dev.blobshuffle.core.internal.combine.CombineMode;
import dev.blobshuffle.core.internal.combine.CombineSettings;
import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.pricing.LiveCost;
import dev.blobshuffle.core.internal.pricing.PriceTables;
import dev.blobshuffle.core.internal.read.ReadEngine;
import dev.blobshuffle.core.internal.read.ReadSettings;
import dev.blobshuffle.core.internal.resilience.ResilienceOptions;
import dev.blobshuffle.core.internal.resilience.StoreRetryPolicy;
import dev.blobshuffle.core.internal.resilience.StoreStack;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.LentBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * The engine of one instance: a {@link Batcher}, a read side, and the store for both, with its
 * decorators ({@link StoreStack}) and caches. Puts are retried until the delivery timeout, reads
 * until their reader abandons them. Thread-safe.
 */
public final class ShuffleEngine implements Engine {
    /**
     * The time after which a put fails if there is a fallback. While the store is known to be down,
     * it fails at once. A transaction that waits for the put must not time out first.
     */
    private static final Duration PUT_TIME_BEFORE_FALLBACK = Duration.ofSeconds(5);

    /** The store with its decorators for retries, hedging and limits. */
    private final BlobStore calm;

    /** That store behind the caller's decorator ({@link Builder#nearer}) and the caches, if any. */
    private final BlobStore store;

    private final ShuffleMetrics metrics;
    private final Optional<NearStore> caches;
    private final SinkOpening sinks;
    private final Batcher batcher;
    private final ReadEngine reading;
    private final Runnable whenClosed;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private ShuffleEngine(Builder parts) {
        metrics = parts.metrics;
        metrics.locate(parts.caching.zone());
        BatcherOptions options = parts.batching;
        calm = StoreStack.over(
                parts.store, putRetries(options), options.deliveryTimeout(), parts.resilience, parts.time, metrics);
        long writer = BlobId.writer(parts.time.randomLong());
        BlobStore near = calm;
        try {
            near = parts.nearer.apply(new LentBlobStore(calm));
            caches = parts.caching.isNone() && parts.peers.isEmpty()
                    ? Optional.empty()
                    : Optional.of(NearStore.open(near, parts.caching, parts.peers, writer, metrics, parts.time));
        } catch (RuntimeException | Error e) {
            near.close();
            calm.close();
            throw e;
        }
        store = caches.isPresent() ? caches.get().store() : near;
        sinks = parts.sinks;
        try {
            SinkOpening.Own own = new SinkOpening.Own(store, writer, member());
            batcher = new Batcher(store, sinks.open(own), options, parts.time, metrics, writer);
        } catch (RuntimeException | Error e) {
            sinks.close();
            closeNear();
            calm.close();
            throw e;
        }
        reading = new ReadEngine(store, parts.readBufferBytes, options.keys(), parts.time, metrics);
        whenClosed = parts.whenClosed;
    }

    private static StoreRetryPolicy putRetries(BatcherOptions options) {
        Duration timeout = options.deliveryTimeout();
        if (options.fallback().isEmpty()) {
            return StoreRetryPolicy.within(timeout);
        }
        boolean isLong = timeout.compareTo(PUT_TIME_BEFORE_FALLBACK) > 0;
        return StoreRetryPolicy.within(isLong ? PUT_TIME_BEFORE_FALLBACK : timeout)
                .whenDown(StoreRetryPolicy.WhenDown.FAIL);
    }

    /**
     * Opens an engine from settings, with its own clock and store, and the members that the
     * settings list. Checks the store first. Blocks.
     *
     * @throws InvalidSettingsException fatal: no store is set, or the settings are invalid
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not work now
     */
    public static ShuffleEngine open(Settings settings) {
        SystemTime time = new SystemTime();
        try {
            return open(
                    settings,
                    BatcherOptions.builder(settings).build(),
                    listed(settings),
                    time,
                    new Stores(BlobStores::open, UnaryOperator.identity()),
                    time::close);
        } catch (RuntimeException | Error e) {
            time.close();
            throw e;
        }
    }

    /**
     * Opens an engine from settings, with its own store, which it checks first. Blocks.
     *
     * @param batching the options of the Batcher
     * @param members the members to share caches with, if the settings enable this; not closed by
     *     the engine
     * @param time its clocks and threads; not closed by the engine
     * @throws InvalidSettingsException fatal: no store is set, or the settings are invalid
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not work now
     */
    public static ShuffleEngine open(Settings settings, BatcherOptions batching, ZoneMap members, Time time) {
        return open(settings, batching, members, time, new Stores(BlobStores::open, UnaryOperator.identity()));
    }

    /** Opens a store, and checks that it works. */
    @FunctionalInterface
    public interface StoreOpening {
        /** The store of a URI; the engine closes it. */
        BlobStore open(String uri, StoreContext context);
    }

    /**
     * The source of an engine's store.
     *
     * @param opening opens the store
     * @param nearer a decorator between the store with its decorators and the caches ({@link
     *     Builder#nearer})
     */
    public record Stores(StoreOpening opening, UnaryOperator<BlobStore> nearer) {}

    /**
     * Opens an engine from settings, with a store that the caller's function opens. Blocks.
     *
     * @param stores the source of the store
     * @throws InvalidSettingsException fatal: no store is set, or the settings are invalid
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store does
     *     not work now
     */
    public static ShuffleEngine open(
            Settings settings, BatcherOptions batching, ZoneMap members, Time time, Stores stores) {
        return open(settings, batching, members, time, stores, () -> {});
    }

    private static ShuffleEngine open(
            Settings settings,
            BatcherOptions batching,
            ZoneMap members,
            Time time,
            Stores stores,
            Runnable whenClosed) {
        requirePeersHaveEffect(settings);
        CombiningChecks.requireInstanceServes(settings);
        ShuffleMetrics metrics = new ShuffleMetrics(time);
        BlobStore store = stores.opening()
                .open(StoreSettings.uri(settings), new StoreContext(time, MeteredBlobStore.meter(metrics)));
        try {
            PriceTables.of(settings).ifPresent(prices -> LiveCost.report(metrics, prices));
            Builder builder = builder(store, time)
                    .metrics(metrics)
                    .batching(ZoneCombining.batching(settings, batching))
                    .resilience(ResilienceOptions.of(settings))
                    .readBufferBytes(
                            settings.value(ReadSettings.READ_BUFFER_BYTES).bytes())
                    .caching(CacheOptions.of(settings))
                    .nearer(stores.nearer())
                    .whenClosed(() -> {
                        store.close();
                        whenClosed.run();
                    });
            if (settings.value(CombineSettings.ENABLED) == CombineMode.AUTO) {
                CombiningChecks.excluded(settings).ifPresent(reason -> {
                    ZoneCombining.log(reason);
                    builder.sinks(new Uncombined(reason));
                });
            }
            return settings.value(CacheSettings.ZONE_ENABLED)
                    ? inZone(builder, settings, members, metrics, time)
                    : builder.build();
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /** Refuses a listen address without a shared cache, because it would have no effect. */
    private static void requirePeersHaveEffect(Settings settings) {
        if (settings.value(PeerSettings.LISTEN).isPresent() && !settings.value(CacheSettings.ZONE_ENABLED)) {
            throw new InvalidSettingsException("Cannot use setting " + PeerSettings.LISTEN
                    + ": it has no effect without " + CacheSettings.ZONE_ENABLED + "=true. Set both, or neither.");
        }
    }

    private static ZoneMap listed(Settings settings) {
        return new FixedZoneMap(FixedZoneMap.caches(settings.value(CacheSettings.ZONE_MEMBERS)));
    }

    private static ShuffleEngine inZone(
            Builder builder, Settings settings, ZoneMap members, ShuffleMetrics metrics, Time time) {
        PeerNetwork network = PeerNetworkProvider.openInstalled(settings, metrics, time);
        try {
            ZonePeers peers = new ZonePeers(members, network);
            if (CombineSettings.isUsed(settings)) {
                builder.sinks(new ZoneCombining(settings, peers, metrics, time));
            }
            return builder.zonePeers(peers).build();
        } catch (RuntimeException | Error e) {
            network.close();
            throw e;
        }
    }

    /** A builder for an engine of given parts. */
    public static Builder builder(BlobStore store, Time time) {
        return new Builder(store, time);
    }

    @Override
    public Lane lane(String name, Channel channel) {
        return batcher.lane(name, channel);
    }

    @Override
    public <C> Debatcher<C> debatcher(String name, Runnable onProgress) {
        return reading.debatcher(name, onProgress);
    }

    @Override
    public BlobStore store() {
        return store;
    }

    @Override
    public ShuffleMetrics metrics() {
        return metrics;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            batcher.close();
            reading.close();
            sinks.close();
            closeNear();
            calm.close();
            whenClosed.run();
        }
    }

    private void closeNear() {
        caches.ifPresentOrElse(NearStore::close, store::close);
    }

    /**
     * This instance as a member of its zone: its id and its address, without the partitions that it
     * reads. Empty if it does not answer other members.
     */
    public Optional<Member> member() {
        return caches.flatMap(NearStore::member);
    }

    /**
     * The network to the other members of the zone; empty if this instance shares nothing with
     * them.
     */
    public Optional<PeerNetwork> network() {
        return caches.flatMap(NearStore::network);
    }

    /**
     * Whether this instance combines its blobs, and why or why not; empty if it is not asked to, or
     * has not decided. Changes while it runs.
     */
    public Optional<CombiningDecision> combining() {
        return sinks.combining();
    }

    /** Collects the parts of an engine. */
    public static final class Builder {
        private final BlobStore store;
        private final Time time;
        private BatcherOptions batching = BatcherOptions.builder().build();
        private ShuffleMetrics metrics;
        private ResilienceOptions resilience = ResilienceOptions.USUAL;
        private long readBufferBytes = 64 << 20;
        private CacheOptions caching = CacheOptions.none();
        private Optional<ZonePeers> peers = Optional.empty();
        private UnaryOperator<BlobStore> nearer = UnaryOperator.identity();
        private SinkOpening sinks = SinkOpening.STORE;
        private Runnable whenClosed = () -> {};

        private Builder(BlobStore store, Time time) {
            this.store = store;
            this.time = time;
            this.metrics = new ShuffleMetrics(time);
        }

        /** The options of the Batcher; by default those of {@link BatcherOptions#builder()}. */
        public Builder batching(BatcherOptions options) {
            batching = options;
            return this;
        }

        /**
         * The most bytes that Debatchers hold; 64 MiB by default.
         *
         * @throws InvalidSettingsException fatal: the number is not positive
         */
        public Builder readBufferBytes(long bytes) {
            if (bytes < 1) {
                throw new InvalidSettingsException("Cannot read: read.buffer.bytes is " + bytes + ". Give 1 or more.");
            }
            readBufferBytes = bytes;
            return this;
        }

        /**
         * The limits and retries of requests to the store; {@link ResilienceOptions#USUAL} by
         * default.
         */
        public Builder resilience(ResilienceOptions options) {
            resilience = options;
            return this;
        }

        /**
         * The metrics that the engine writes; by default its own. Set them if the store reports to
         * the same metrics ({@link RequestMeter}).
         */
        public Builder metrics(ShuffleMetrics metrics) {
            this.metrics = metrics;
            return this;
        }

        /** The options of the caches; by default none. */
        public Builder caching(CacheOptions options) {
            caching = options;
            return this;
        }

        /** The members of the zone to share caches with; by default none. */
        public Builder zonePeers(ZonePeers others) {
            peers = Optional.of(others);
            return this;
        }

        /**
         * A decorator between the store with its decorators (retries, meter, hedging) and the
         * caches; by default none. It may serve blobs that this instance has but has not stored
         * yet. Other members of the zone read through it too. If it is a {@link
         * dev.blobshuffle.core.internal.cache.CachedBlobStore}, this instance reads from it before
         * it asks another member.
         *
         * @param place receives the store below, which it must not close; the engine closes the
         *     result
         */
        public Builder nearer(UnaryOperator<BlobStore> place) {
            nearer = place;
            return this;
        }

        /** Where blobs are stored; by default each by itself. Closed with the engine. */
        public Builder sinks(SinkOpening opening) {
            sinks = opening;
            return this;
        }

        /**
         * A task that runs once, after the engine has closed, to close what was passed to the
         * engine. By default none: the caller closes store and time.
         */
        public Builder whenClosed(Runnable task) {
            whenClosed = task;
            return this;
        }

        /** The engine. */
        public ShuffleEngine build() {
            return new ShuffleEngine(this);
        }
    }
}
