package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.ClaimedLogs;
import dev.blobshuffle.kafka.internal.claim.StoreClaim;
import dev.blobshuffle.kafka.internal.client.ClientPair;
import dev.blobshuffle.kafka.internal.client.ConsumerWiring;
import dev.blobshuffle.kafka.internal.client.KafkaMetricsBridge;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import dev.blobshuffle.kafka.internal.client.StartLine;
import dev.blobshuffle.kafka.internal.client.TopicMatcher;
import dev.blobshuffle.kafka.internal.client.VirtualOffsetAdmin;
import dev.blobshuffle.kafka.internal.consume.ConsumerPlugins;
import dev.blobshuffle.kafka.internal.consume.GroupProtocol;
import dev.blobshuffle.kafka.internal.consume.StreamsConsumer;
import dev.blobshuffle.kafka.internal.membership.KafkaMembership;
import dev.blobshuffle.kafka.internal.produce.ProducerPlugins;
import dev.blobshuffle.kafka.internal.produce.StreamsProducer;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.StreamsConfig;
import org.jspecify.annotations.Nullable;

/**
 * One application instance: its settings, its engine, and the clients that share them. Kafka
 * Streams opens the admin before all other clients and closes it after all threads have ended, so
 * the engine lives as long as the admin. Thread-safe.
 */
public final class ShuffledApplication {
    /** Kafka Streams' own default of {@code max.poll.records}. */
    private static final int STREAMS_MAX_POLL_RECORDS = 1000;

    /**
     * The application for which this thread has made its last producer. With the streams group
     * protocol, Kafka Streams makes a stream thread's consumer itself, right after the producer and
     * on the same thread. Its wrapper gets no reference to the supplier.
     */
    private static final ThreadLocal<@Nullable Creation> CREATING = new ThreadLocal<>();

    private final ApplicationSettings settings;
    private final KafkaClientSupplier clients;
    private final Supplier<SystemTime> clocks;
    private final UnaryOperator<Engine> decorator;
    private final ShuffleInstance.Sweeping sweeping;
    private final ClientPair.Registry pairs = new ClientPair.Registry();
    private @Nullable ShuffleInstance shuffle;
    private int admins;

    public ShuffledApplication(ApplicationSettings settings) {
        this(settings, UnaryOperator.identity());
    }

    /** An application with a decorated engine; tests inject faults with it. */
    public ShuffledApplication(ApplicationSettings settings, UnaryOperator<Engine> decorator) {
        this(settings, decorator, Sweeper::of);
    }

    /** An application with its own sweeps; tests sweep more often. */
    public ShuffledApplication(
            ApplicationSettings settings, UnaryOperator<Engine> decorator, ShuffleInstance.Sweeping sweeping) {
        this(settings, decorator, sweeping, SystemTime::new);
    }

    /** The same with its own clocks; tests let them jump. */
    public ShuffledApplication(
            ApplicationSettings settings,
            UnaryOperator<Engine> decorator,
            ShuffleInstance.Sweeping sweeping,
            Supplier<SystemTime> clocks) {
        this.settings = settings;
        this.clocks = clocks;
        this.decorator = decorator;
        this.sweeping = sweeping;
        this.clients = settings.wrappedSupplier();
    }

    /** The application whose stream thread is being made on the calling thread. */
    public static ShuffledApplication beingCreated(String clientId) {
        Creation last = CREATING.get();
        ShuffledApplication application = last != null && last.streamThread().equals(streamThread(clientId))
                ? last.application().get()
                : null;
        if (application == null) {
            throw new IllegalStateException("Cannot wrap consumer " + clientId
                    + ": its application's clients do not come from BlobShuffle."
                    + " Set default.client.supplier=" + ApplicationSettings.SUPPLIER_CLASS
                    + "; if a client supplier is passed to the constructor of KafkaStreams, as Spring does, pass"
                    + " new BlobShuffleClientSupplier(settings) instead. Or remove "
                    + ApplicationSettings.CONSUMER_WRAPPER + ".");
        }
        return application;
    }

    public Admin admin(Map<String, Object> config) {
        acquire(config);
        Admin delegate = null;
        try {
            delegate = clients.getAdmin(ApplicationSettings.withoutOwn(config));
            IncludedTopics.check(delegate, settings);
            return releasing(VirtualOffsetAdmin.wrap(delegate, settings.topics()));
        } catch (RuntimeException | Error e) {
            if (delegate != null) {
                delegate.close();
            }
            release();
            throw e;
        }
    }

    public Producer<byte[], byte[]> producer(Map<String, Object> config) {
        Map<String, Object> kafkas = ApplicationSettings.withoutOwn(config);
        String clientId = clientId(config);
        ShuffleInstance open = open();
        ProducerWiring wiring = new ProducerWiring(
                settings.mode(),
                settings.topics(),
                writes(),
                config.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG),
                settings.waitLimit(),
                settings.notificationTimeout(),
                pairs.of(clientId),
                open.membership(),
                open.time());
        Producer<byte[], byte[]> producer = wrap(kafkas, open.engine(), clientId, wiring);
        CREATING.set(new Creation(streamThread(clientId), new WeakReference<>(this)));
        return producer;
    }

    private ProducerWiring.Writes writes() {
        return settings.blobs().value(KafkaSettings.WRITE_ENABLED)
                ? ProducerWiring.Writes.BLOBS
                : ProducerWiring.Writes.PLAIN;
    }

    private Producer<byte[], byte[]> wrap(
            Map<String, Object> kafkas, Engine engine, String clientId, ProducerWiring wiring) {
        ProducerPlugins plugins = ProducerPlugins.open(kafkas);
        try {
            return StreamsProducer.wrap(clients.getProducer(plugins.realSettings()), engine, clientId, wiring, plugins);
        } catch (RuntimeException | Error e) {
            plugins.close();
            throw e;
        }
    }

    /**
     * The consumer of a stream thread.
     *
     * @throws InvalidSettingsException fatal: the consumer is one of another application
     */
    public Consumer<byte[], byte[]> mainConsumer(Map<String, Object> config) {
        requireOwn(config);
        Map<String, Object> kafkas = ApplicationSettings.withoutOwn(config);
        settings.pollRecords().ifPresent(records -> kafkas.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, records));
        ConsumerPlugins plugins = ConsumerPlugins.open(kafkas);
        return wrapMain(clients.getConsumer(GroupProtocol.offering(plugins.realSettings(), writes())), config, plugins);
    }

    /**
     * Wraps the main consumer that Kafka Streams has made itself.
     *
     * @throws InvalidSettingsException fatal: the consumer is one of another application
     */
    public StreamsConsumer wrapMain(Consumer<byte[], byte[]> consumer, Map<String, Object> config) {
        requireOwn(config);
        return wrapMain(consumer, config, ConsumerPlugins.none(ApplicationSettings.withoutOwn(config)));
    }

    /**
     * Rejects the group of another application. A framework may pass one supplier to all its
     * streams, and the topics of the others would not match.
     */
    private void requireOwn(Map<String, Object> config) {
        Object own = settings.all().get(StreamsConfig.APPLICATION_ID_CONFIG);
        Object group = config.get(ConsumerConfig.GROUP_ID_CONFIG);
        if (!String.valueOf(own).equals(String.valueOf(group))) {
            throw new InvalidSettingsException("Cannot make clients of application " + group
                    + ": the supplier has the settings of application " + own
                    + ". Pass another BlobShuffleClientSupplier, with its own settings, to each KafkaStreams.");
        }
    }

    private StreamsConsumer wrapMain(
            Consumer<byte[], byte[]> consumer, Map<String, Object> config, ConsumerPlugins plugins) {
        Map<String, Object> polling = new HashMap<>(config);
        settings.pollRecords().ifPresent(records -> polling.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, records));
        return StreamsConsumer.wrap(
                consumer,
                open().engine(),
                wiring(polling, settings.topics(), pairs.of(clientId(config)), open().watched()),
                plugins);
    }

    public Consumer<byte[], byte[]> restoreConsumer(Map<String, Object> config) {
        ConsumerPlugins plugins = ConsumerPlugins.open(ApplicationSettings.withoutOwn(config));
        TopicMatcher topics = settings.topics().refusing(ShuffledApplication::sourceForChangelog);
        return RestoreFailures.handled(StreamsConsumer.wrap(
                clients.getRestoreConsumer(plugins.realSettings()),
                open().engine(),
                wiring(config, topics, ClientPair.alone(), Membership.none()),
                plugins));
    }

    /**
     * The failure of {@code reuse.ktable.source.topics} on a shuffled topic. Kafka Streams would
     * restore the table from its source topic, up to the group's committed offset. It gets that
     * offset from the broker, as a real offset, which is far below the virtual offsets of the
     * records, so it would restore nothing. No client can detect this before the restoration.
     */
    private static InvalidSettingsException sourceForChangelog(String topic) {
        return new InvalidSettingsException("Cannot restore a table from " + topic
                + ", which shuffles through blobs: with "
                + StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG
                + "=all or reuse.ktable.source.topics it is the table's changelog as well."
                + " Exclude it with blobshuffle.topics.exclude, or set " + StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG
                + " to the optimizations that you need besides, such as merge.repartition.topics.");
    }

    public Consumer<byte[], byte[]> globalConsumer(Map<String, Object> config) {
        ConsumerPlugins plugins = ConsumerPlugins.open(ApplicationSettings.withoutOwn(config));
        return StreamsConsumer.wrap(
                clients.getGlobalConsumer(plugins.realSettings()),
                open().engine(),
                // Every instance reads these topics, in every zone.
                wiring(config, settings.topics(), ClientPair.alone(), Membership.none()),
                plugins);
    }

    private ConsumerWiring wiring(
            Map<String, Object> config, TopicMatcher topics, ClientPair pair, Membership membership) {
        Object maxPollRecords = config.getOrDefault(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, STREAMS_MAX_POLL_RECORDS);
        return new ConsumerWiring(
                settings.mode(),
                clientId(config),
                topics,
                Integer.parseInt(maxPollRecords.toString()),
                pair,
                membership,
                open().time());
    }

    /**
     * A stream thread's name: the client ids of its producer and consumer up to their last dash.
     */
    private static String streamThread(String clientId) {
        return clientId.substring(0, Math.max(0, clientId.lastIndexOf('-')));
    }

    private static String clientId(Map<String, Object> config) {
        return String.valueOf(config.get(ProducerConfig.CLIENT_ID_CONFIG));
    }

    private synchronized ShuffleInstance open() {
        ShuffleInstance open = shuffle;
        if (open == null) {
            throw new IllegalStateException(
                    "Cannot make a Kafka client: the application is closed. Make a new KafkaStreams.");
        }
        return open;
    }

    private synchronized void acquire(Map<String, Object> adminConfig) {
        if (shuffle == null) {
            shuffle = open(ApplicationSettings.withoutOwn(adminConfig));
        }
        admins++;
    }

    private synchronized void release() {
        ShuffleInstance open = shuffle;
        if (--admins == 0 && open != null) {
            shuffle = null;
            open.close();
        }
    }

    /** Wraps the admin, so that closing it releases its share of the engine. */
    private Admin releasing(Admin admin) {
        AtomicBoolean closed = new AtomicBoolean();
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(admin, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    } finally {
                        if (method.getName().equals("close") && closed.compareAndSet(false, true)) {
                            release();
                        }
                    }
                });
    }

    /**
     * A producer that was made.
     *
     * @param streamThread the name of its stream thread
     * @param application the application that it belongs to; the thread that made the producer may
     *     outlive it
     */
    private record Creation(String streamThread, WeakReference<ShuffledApplication> application) {}

    private ShuffleInstance open(Map<String, Object> adminConfig) {
        ClaimIdentity identity = settings.claimIdentity(adminConfig);
        ShuffleInstance instance = ShuffleInstance.builder(settings.blobs())
                .clocks(clocks)
                .membership(time -> KafkaMembership.of(
                        settings.blobs(), Optional.of(settings.membershipTopic()), adminConfig, time))
                .batching(Engines.batching(settings))
                .stores((uri, context) -> StoreClaim.open(uri, context, identity))
                .decorating(decorator)
                .sweeping(new ClaimedLogs(identity, settings.topics()::matches), sweeping)
                .open();
        KafkaMetricsBridge ignored = KafkaMetricsBridge.attach(instance, settings.blobs(), settings.all());
        StartLine.log(
                "application " + settings.all().get(StreamsConfig.APPLICATION_ID_CONFIG),
                settings.blobs(),
                settings.topics().toString());
        return instance;
    }
}
