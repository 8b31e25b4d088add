package dev.blobshuffle.kstreams.operator;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.instance.SharedInstances;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.ClaimedLogs;
import dev.blobshuffle.kafka.internal.claim.StoreClaim;
import dev.blobshuffle.kafka.internal.client.KafkaMetricsBridge;
import dev.blobshuffle.kafka.internal.client.StartLine;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.membership.KafkaMembership;
import dev.blobshuffle.kafka.internal.position.GivenUp;
import dev.blobshuffle.kafka.internal.position.SkipGroup;
import dev.blobshuffle.kafka.internal.position.SkipNote;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.Engines;
import dev.blobshuffle.kstreams.internal.commit.StreamsInternals;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of an application instance's operators. All operators with the same settings share it,
 * so one blob holds the records of all their tasks. The first operator that is initialized opens
 * it.
 *
 * <p>Operators get no signal when the application ends, and every rollback closes all of them. So
 * the engine closes with its last operator only if that operator's stream thread ends too.
 * Otherwise it closes when all threads that used it have ended.
 *
 * <p>Thread-safe: guarded by itself. The methods that {@link SharedInstances} calls, for opening
 * and closing, take no lock of this class.
 */
final class SharedEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedEngine.class);
    private static final Duration LOOK_FOR_END = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final SharedInstances<Key, SharedEngine> OPEN = new SharedInstances<>();

    private final ApplicationSettings settings;
    private final ShuffleInstance instance;
    private final Map<TopicPartition, GivenUp> givenUp;
    private final Map<Thread, ThreadLanes> threads = new HashMap<>();
    private final Map<String, Integer> losses = new ConcurrentHashMap<>();
    private int operators;

    /** The last operator's share, kept until the threads that used the engine have ended. */
    private SharedInstances.@Nullable Share<SharedEngine> kept;

    private boolean isLooking;

    /**
     * Identifies the operators that share an engine.
     *
     * @param application its id
     * @param settings all settings in force; they include the client id, which distinguishes
     *     instances in one process
     */
    private record Key(String application, Map<String, String> settings) {
        /** Without the settings, which may contain credentials. */
        @Override
        public String toString() {
            return application;
        }
    }

    private SharedEngine(Key key, ApplicationSettings settings) {
        this.settings = settings;
        // TopologyTestDriver has no stream threads and no brokers. There, only the members in the
        // settings count, nothing is claimed, and nothing is swept.
        boolean hasBrokers = StreamsInternals.isStreamThread(Thread.currentThread());
        givenUp = hasBrokers ? givenUp(key.application(), settings) : Map.of();
        instance = hasBrokers
                ? onBrokers(key, settings).open()
                : builder(settings, Optional.empty()).open();
        KafkaMetricsBridge ignored = KafkaMetricsBridge.attach(instance, settings.blobs(), settings.all());
        if (!givenUp.isEmpty()) {
            SkipNote kept =
                    instance.attach(() -> SkipNote.keep(skipClient(settings), key.application(), instance.time()));
        }
        StartLine.log("operators of application " + key.application(), settings.blobs(), "of the operators");
    }

    private static ShuffleInstance.Builder builder(ApplicationSettings settings, Optional<String> membershipTopic) {
        return ShuffleInstance.builder(settings.blobs())
                .membership(
                        time -> KafkaMembership.of(settings.blobs(), membershipTopic, settings.adminSettings(), time))
                .batching(Engines.batching(settings));
    }

    private static ShuffleInstance.Builder onBrokers(Key key, ApplicationSettings settings) {
        ClaimIdentity identity = settings.claimIdentity(settings.adminSettings());
        return builder(settings, Optional.of(settings.membershipTopic()))
                .stores((uri, context) -> StoreClaim.open(uri, context, identity))
                .sweeping(new ClaimedLogs(
                        identity, TopicMatcher.repartitionTopics(key.application(), List.of())::matches));
    }

    /**
     * Reads the notifications that an operator gave up ({@code blobshuffle skip}) while the
     * application was stopped, and renews their retention. If the application may not read them, or
     * gets no answer, it starts without them and will stop at the missing blobs again.
     */
    private static Map<TopicPartition, GivenUp> givenUp(String application, ApplicationSettings settings) {
        Map<TopicPartition, GivenUp> found = Map.of();
        try (Admin admin = Admin.create(skipClient(settings))) {
            found = SkipGroup.read(admin, application, PATIENCE);
            boolean ignored = SkipGroup.renew(admin, application, PATIENCE);
        } catch (ExecutionException | KafkaException e) {
            LOG.debug("Cannot read or rewrite the note of the notifications that {} skips.", application, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return found;
    }

    private static Map<String, Object> skipClient(ApplicationSettings settings) {
        Map<String, Object> client = settings.adminSettings();
        client.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        client.put(AdminClientConfig.CLIENT_ID_CONFIG, "blobshuffle-skipped");
        return client;
    }

    /**
     * Acquires an operator's share; called on its stream thread. The first call opens the store,
     * and blocks.
     *
     * @throws InvalidSettingsException fatal: the settings cannot work; the message says what to
     *     change
     * @throws dev.blobshuffle.core.failure.StoreUnavailableException fatal: the store does not
     *     work; the application does not start
     */
    static Lease acquire(ShuffleDefinition<?, ?> definition, ProcessingContext context) {
        Map<String, Object> given = new HashMap<>(context.appConfigs());
        given.putAll(definition.settings());
        Key key = key(context.applicationId(), given);
        SharedInstances.Share<SharedEngine> share =
                OPEN.acquire(key, () -> new SharedEngine(key, ApplicationSettings.ofOperators(given)));
        return share.instance().lease(share, definition.topic(context));
    }

    private static Key key(String application, Map<String, Object> given) {
        Map<String, String> all = new TreeMap<>();
        given.forEach((name, value) -> all.put(name, String.valueOf(value)));
        return new Key(application, all);
    }

    private synchronized Lease lease(SharedInstances.Share<SharedEngine> share, String topic) {
        operators++; // First, so that a release after an exception below finds its counterpart.
        ThreadLanes lanes = threads.computeIfAbsent(
                Thread.currentThread(),
                thread -> new ThreadLanes(settings.blobs().value(WriteSettings.BATCH_SCOPE)));
        lanes.restart();
        Lease lease = new Lease(this, share, lanes);
        try {
            check(topic);
        } catch (InvalidSettingsException e) {
            lease.close();
            throw e;
        }
        return lease;
    }

    private void check(String topic) {
        if (StreamsInternals.isStreamThread(Thread.currentThread())) {
            settings.requireSupplierInUse();
        }
        if (settings.hasWrappedClients() && settings.topics().matches(topic)) {
            throw new InvalidSettingsException("Cannot shuffle " + topic
                    + " by operators: the client supplier shuffles it too, "
                    + "and would make blobs of notifications. Exclude it with " + KafkaSettings.TOPICS_EXCLUDE + "="
                    + topic
                    + ", or use only one of the two.");
        }
    }

    private synchronized void release(SharedInstances.Share<SharedEngine> share) {
        operators--;
        if (StreamsInternals.isEnding(Thread.currentThread())) {
            threads.remove(Thread.currentThread());
        }
        endKept();
        kept = share;
        closeIfUnused();
    }

    /** Releases the kept share: others have shares now, or the instance closes. */
    private void endKept() {
        SharedInstances.Share<SharedEngine> ended = kept;
        kept = null;
        if (ended != null) {
            ended.close();
        }
    }

    private void closeIfUnused() {
        if (operators > 0) {
            endKept();
            return;
        }
        threads.keySet().removeIf(thread -> !thread.isAlive());
        if (threads.isEmpty()) {
            endKept();
        } else if (!isLooking) {
            isLooking = true;
            instance.time().schedule(LOOK_FOR_END, this::lookForEnd);
        }
    }

    private synchronized void lookForEnd() {
        isLooking = false;
        closeIfUnused();
    }

    /** Called by {@link SharedInstances} after the last share is released. */
    @Override
    public void close() {
        instance.close();
    }

    /** The number of open engines. */
    static int count() {
        return OPEN.count();
    }

    /** One operator's share of an engine. Owned by its stream thread. */
    static final class Lease implements AutoCloseable {
        private final SharedEngine shared;
        private final SharedInstances.Share<SharedEngine> share;
        private final ThreadLanes lanes;
        private final AtomicBoolean isReleased = new AtomicBoolean();

        private Lease(SharedEngine shared, SharedInstances.Share<SharedEngine> share, ThreadLanes lanes) {
            this.shared = shared;
            this.share = share;
            this.lanes = lanes;
        }

        Engine engine() {
            return shared.instance.engine();
        }

        Time time() {
            return shared.instance.time();
        }

        /** The other instances, as this one knows them. */
        Membership membership() {
            return shared.instance.membership();
        }

        /** The same membership, which also reports what a task reads. */
        Membership watched() {
            return shared.instance.watched();
        }

        /** The given-up notifications of a partition. */
        GivenUp givenUp(Partition partition) {
            GivenUp found = shared.givenUp.get(new TopicPartition(partition.stream(), partition.number()));
            if (found == null) {
                return GivenUp.NONE;
            }
            LOG.warn("Skipping notifications of {} that were given up: {}.", partition, found);
            return found;
        }

        /** The lanes of this thread. */
        ThreadLanes lanes() {
            return lanes;
        }

        boolean isWriting() {
            return shared.settings.blobs().value(KafkaSettings.WRITE_ENABLED);
        }

        /** The application's settings. */
        ApplicationSettings settings() {
            return shared.settings;
        }

        /** The longest time that the application's producers hold a notification. */
        Duration notificationTimeout() {
            return shared.settings.notificationTimeout();
        }

        /** The longest time that a commit may wait. */
        Duration waitLimit() {
            return shared.settings.waitLimit();
        }

        /**
         * Keeps the failures of one operator of one task, and counts consecutive ones across
         * rollbacks.
         */
        Losses losses(String operator, Losses.Patience patience) {
            return new Losses(operator, patience, shared.losses, lanes);
        }

        @Override
        public void close() {
            if (isReleased.compareAndSet(false, true)) {
                shared.release(share);
            }
        }
    }
}
