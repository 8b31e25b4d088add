package dev.blobshuffle.core.internal.instance;

import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.engine.ShuffleEngine.StoreOpening;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One instance of a shuffle: its clock, its membership, its engine with store and caches, and its
 * sweeper.
 *
 * <pre>{@code
 * ShuffleInstance instance = ShuffleInstance.builder(settings)
 *         .membership(time -> …)
 *         .sweeping(source)
 *         .open();
 * KafkaMetricsBridge shown = KafkaMetricsBridge.attach(instance, settings, …);
 * }</pre>
 *
 * <p>The parts close in this order, the reverse of their opening: attached parts, the sweeper, the
 * membership (others stop asking this instance), the engine, the clock. If a part cannot be opened,
 * the parts before it are closed. If a part cannot be closed, the others are still closed.
 * Thread-safe.
 */
public final class ShuffleInstance implements AutoCloseable {
    private final OpenParts parts;
    private final Time time;
    private final Engine engine;
    private final Membership membership;
    private final Membership watched;
    private final Optional<Sharing> sharing;

    /**
     * The connection of an instance to the other members of its zone.
     *
     * @param network the network to the members, closed with the instance
     * @param self the member as which this instance answers others; empty if it does not answer
     */
    public record Sharing(PeerNetwork network, Optional<Member> self) {}

    private ShuffleInstance(
            OpenParts parts,
            Time time,
            Engine engine,
            Optional<Sharing> sharing,
            Membership membership,
            Membership watched) {
        this.parts = parts;
        this.time = time;
        this.engine = engine;
        this.sharing = sharing;
        this.membership = membership;
        this.watched = watched;
    }

    /**
     * A builder for an instance from settings. Without a membership, the instance has no other
     * members.
     */
    public static Builder builder(Settings settings) {
        return new Builder(settings);
    }

    /** The engine. The instance closes it. */
    public Engine engine() {
        return engine;
    }

    /** The connection to other members of the zone; empty if the instance shares nothing. */
    public Optional<Sharing> sharing() {
        return sharing;
    }

    /** The other instances. */
    public Membership membership() {
        return membership;
    }

    /**
     * The same membership, wrapped so that the sweeper sees what consumers of this instance read.
     */
    public Membership watched() {
        return watched;
    }

    /** The instance's clocks and threads. */
    public Time time() {
        return time;
    }

    /**
     * Opens a part that closes with this instance, before the other parts. If it cannot be opened,
     * the instance closes.
     */
    public <T extends AutoCloseable> T attach(Supplier<T> opening) {
        try {
            return parts.add(opening.get());
        } catch (RuntimeException | Error e) {
            closeAfter(parts, e);
            throw e;
        }
    }

    /** Closes all parts. Idempotent. */
    @Override
    public void close() {
        parts.close();
    }

    private static void closeAfter(OpenParts parts, Throwable failure) {
        try {
            parts.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Creates the sweeper of an instance. The parameters are those of {@link Sweeper#of}. */
    @FunctionalInterface
    public interface Sweeping {
        /** A sweeper that has not started. */
        Sweeper open(Settings settings, SweepSource source, ShuffleMetrics metrics, Time time);
    }

    /** Collects the parts of an instance. */
    public static final class Builder {
        private final Settings settings;
        private Supplier<SystemTime> clocks = SystemTime::new;
        private Optional<AutoCloseable> foundation = Optional.empty();
        private Function<Time, Membership> memberships = time -> Membership.none();
        private Optional<BatcherOptions> batching = Optional.empty();
        private StoreOpening stores = BlobStores::open;
        private UnaryOperator<BlobStore> nearer = UnaryOperator.identity();
        private UnaryOperator<Engine> decorator = UnaryOperator.identity();
        private Optional<SweepSource> source = Optional.empty();
        private Sweeping sweeping = Sweeper::of;

        private Builder(Settings settings) {
            this.settings = settings;
        }

        /** The source of the clock; by default the system clock. */
        public Builder clocks(Supplier<SystemTime> supplier) {
            clocks = supplier;
            return this;
        }

        /** An open part that all other parts except the clock need. It closes after them. */
        public Builder over(AutoCloseable part) {
            foundation = Optional.of(part);
            return this;
        }

        /**
         * Creates the membership, which has not joined yet; by default there are no other members.
         */
        public Builder membership(Function<Time, Membership> opening) {
            memberships = opening;
            return this;
        }

        /** The options of the Batcher; by default from the settings. */
        public Builder batching(BatcherOptions options) {
            batching = Optional.of(options);
            return this;
        }

        /** Opens the store; by default {@link BlobStores#open}. */
        public Builder stores(StoreOpening opening) {
            stores = opening;
            return this;
        }

        /**
         * A decorator between the store with its retries and the caches, for blobs that this
         * instance has but has not stored yet; by default none. Other members of the zone read
         * through it too. The instance closes it.
         *
         * <p>The result may be a {@link dev.blobshuffle.core.internal.cache.CachedBlobStore}. Then
         * this instance reads from it before it asks another member, and a file is sent to others
         * without a copy.
         *
         * @param place receives the store below, which it must not close
         */
        public Builder nearer(UnaryOperator<BlobStore> place) {
            nearer = place;
            return this;
        }

        /** A decorator of the engine, in which tests plant faults. */
        public Builder decorating(UnaryOperator<Engine> engines) {
            decorator = engines;
            return this;
        }

        /** Deletes unneeded blobs according to the settings; by default nothing is deleted. */
        public Builder sweeping(SweepSource logs) {
            source = Optional.of(logs);
            return this;
        }

        /**
         * The same with another sweeper, for tests that sweep more often than the settings allow.
         */
        public Builder sweeping(SweepSource logs, Sweeping how) {
            sweeping = how;
            return sweeping(logs);
        }

        /**
         * Opens all parts. Blocks.
         *
         * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the settings are
         *     invalid
         * @throws dev.blobshuffle.core.failure.StoreUnavailableException recoverable: the store
         *     does not work now
         */
        public ShuffleInstance open() {
            OpenParts parts = new OpenParts();
            try {
                return open(parts);
            } catch (RuntimeException | Error e) {
                closeAfter(parts, e);
                throw e;
            }
        }

        private ShuffleInstance open(OpenParts parts) {
            Time time = parts.add(clocks.get());
            foundation.ifPresent(parts::add);
            Membership membership = parts.add(memberships.apply(time));
            ShuffleEngine opened = parts.add(ShuffleEngine.open(
                    settings,
                    batching.orElseGet(() -> BatcherOptions.builder(settings).build()),
                    membership,
                    time,
                    new ShuffleEngine.Stores(stores, nearer)));
            Engine engine = parts.add(decorator.apply(opened));
            ShuffleMetrics metrics = engine.metrics();
            membership.onRefusal(() -> metrics.add(Counter.MEMBERSHIP_REFUSALS, 1));
            membership.showCombining(() -> opened.combining().map(CombiningDecision::words));
            membership.join(opened.member());
            parts.add(membership::close); // Leave before the engine closes.
            Membership watched = source.map(logs -> parts.add(sweeping.open(settings, logs, metrics, time))
                            .watch(membership))
                    .orElse(membership);
            Optional<Sharing> sharing = opened.network().map(network -> new Sharing(network, opened.member()));
            return new ShuffleInstance(parts, time, engine, sharing, membership, watched);
        }
    }
}
