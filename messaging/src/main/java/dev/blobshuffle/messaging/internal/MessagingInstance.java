package dev.blobshuffle.messaging.internal;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.instance.RunningInstance;
import dev.blobshuffle.core.internal.instance.RunningInstances;
import dev.blobshuffle.core.internal.instance.ShuffleInstance;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.LabelledMetrics;
import dev.blobshuffle.core.internal.metrics.MetricsEndpoint;
import dev.blobshuffle.core.internal.metrics.MetricsSettings;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.RetentionSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreSettings;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.CommitLogs;
import dev.blobshuffle.log.internal.LogName;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.member.LogMembership;
import dev.blobshuffle.log.internal.publish.Sequencer;
import dev.blobshuffle.log.internal.share.LogPeers;
import dev.blobshuffle.log.internal.share.NetworkPeers;
import dev.blobshuffle.log.internal.share.SharedLog;
import dev.blobshuffle.log.internal.share.ZonePages;
import dev.blobshuffle.log.internal.sweep.LogOwner;
import dev.blobshuffle.log.internal.sweep.LogSweepOptions;
import dev.blobshuffle.log.internal.sweep.LogSweeper;
import dev.blobshuffle.log.internal.tail.LogTails;
import dev.blobshuffle.log.internal.tail.MeteredLogReads;
import dev.blobshuffle.messaging.ConsumerGroups;
import dev.blobshuffle.messaging.Messaging;
import dev.blobshuffle.messaging.Publisher;
import dev.blobshuffle.messaging.Serde;
import dev.blobshuffle.messaging.Subscriber;
import dev.blobshuffle.messaging.Subscription;
import dev.blobshuffle.messaging.Topics;
import dev.blobshuffle.messaging.Transaction;
import dev.blobshuffle.messaging.internal.publish.LogPublisher;
import dev.blobshuffle.messaging.internal.publish.PublisherParts;
import dev.blobshuffle.messaging.internal.publish.TopicHomes;
import dev.blobshuffle.messaging.internal.subscribe.DeadLetters;
import dev.blobshuffle.messaging.internal.subscribe.LogSubscriber;
import dev.blobshuffle.messaging.internal.subscribe.PublishedDeadLetters;
import dev.blobshuffle.messaging.internal.subscribe.SubscriberParts;
import dev.blobshuffle.messaging.internal.topic.LogConsumerGroups;
import dev.blobshuffle.messaging.internal.topic.LogTopics;
import dev.blobshuffle.messaging.internal.topic.TopicCatalog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resources that the publishers and subscribers of one process share. They close in this order:
 * publishers and subscribers, the sweeper, the readers of the log, the membership, the engine with
 * its claim, the log, the clock. Thread-safe.
 */
public final class MessagingInstance implements Messaging {
    private static final Logger LOG = LoggerFactory.getLogger(MessagingInstance.class);
    private static final String DEFAULT_NAME = "blobshuffle";

    /** Bytes of entries that the topics of an instance keep for their subscribers. */
    private static final long TAIL_BYTES = 16L << 20;

    /** Bytes of entries that an instance keeps for other instances of its zone. */
    private static final long SHARED_BYTES = 32L << 20;

    private final ShuffleInstance instance;
    private final SystemTime time;
    private final Topics topics;
    private final ConsumerGroups groups;
    private final LogTails tails;
    private final Sequencer sequencer;
    private final Optional<LogSweeper> sweeper;
    private final PublisherParts publishing;
    private final SubscriberParts subscribing;
    private final Set<AutoCloseable> users = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private MessagingInstance(Settings settings, ShuffleInstance instance, CommitLog log, SystemTime time) {
        this.instance = instance;
        this.time = time;
        TopicCatalog catalog = new TopicCatalog(log, time);
        topics = new LogTopics(log, time);
        groups = new LogConsumerGroups(log, catalog, time);
        tails = tails(settings, instance, log, time);
        sequencer = new Sequencer(log, time);
        sweeper = sweeper(settings, instance.engine().metrics(), log, time);
        publishing = new PublisherParts(
                log,
                catalog,
                new TopicHomes(log, time),
                sequencer,
                instance.engine(),
                settings.value(WriteSettings.DELIVERY_TIMEOUT),
                time,
                users::remove);
        subscribing = new SubscriberParts(
                log, catalog, tails, instance.engine(), instance.membership(), settings.zone(), time, users::remove);
    }

    /**
     * The topics that the instance follows. With a shared cache, it reads busy topics through its
     * zone's members.
     */
    private static LogTails tails(Settings settings, ShuffleInstance instance, CommitLog log, Time time) {
        ShuffleMetrics metrics = instance.engine().metrics();
        MeteredLogReads reads = new MeteredLogReads(log, metrics);
        if (instance.sharing().isEmpty()) {
            return new LogTails(log, reads, LogTails.from(reads), TAIL_BYTES, time);
        }
        ShuffleInstance.Sharing sharing = instance.sharing().get();
        LogPeers peers = new NetworkPeers(sharing.network());
        SharedLog shared = new SharedLog(log.id(), reads, SHARED_BYTES, time);
        peers.answerFrom(shared);
        ZonePages.Place place = new ZonePages.Place(
                sharing.self().map(Member::endpoint), settings.zone(), instance.membership(), peers);
        return new LogTails(log, reads, new ZonePages(reads, shared, place, metrics, time), TAIL_BYTES, time);
    }

    /** Opens an instance: {@link Messaging#open}. */
    public static MessagingInstance open(Map<String, ?> configuration) {
        Settings settings = MessagingSettings.parse(configuration);
        String uri = MessagingSettings.log(settings);
        SystemTime time = new SystemTime();
        try {
            CommitLog log = CommitLogs.open(
                    uri, settings.value(MessagingSettings.INSTANCE_NAME).orElse(DEFAULT_NAME), time);
            return open(settings, log, time);
        } catch (RuntimeException | Error e) {
            time.close();
            throw e;
        }
    }

    private static MessagingInstance open(Settings settings, CommitLog log, SystemTime time) {
        try {
            requireDeliveryInTime(settings, log);
            ShuffleInstance instance = ShuffleInstance.builder(settings)
                    .clocks(() -> time)
                    .over(log)
                    .membership(clock -> membership(settings, log, clock))
                    .batching(MessagingSettings.batching(settings))
                    .stores((uri, context) ->
                            LogOwner.watched(BlobStores.open(uri, context), log, OwnerTiming.USUAL, time))
                    .open();
            showMetrics(settings, instance, log);
            MessagingInstance opened = new MessagingInstance(settings, instance, log, time);
            opened.report(log);
            opened.sweeper.ifPresent(LogSweeper::start);
            return opened;
        } catch (RuntimeException | Error e) {
            log.close();
            throw e;
        }
    }

    private void report(CommitLog log) {
        ShuffleMetrics metrics = instance.engine().metrics();
        report(metrics, Gauge.LOG_STAGED_AGE, tails::longestStaged);
        report(metrics, Gauge.LOG_UNANSWERED_AGE, log.answers()::unanswered);
    }

    private void report(ShuffleMetrics metrics, Gauge gauge, Supplier<Duration> age) {
        ShuffleMetrics.Registration ignored =
                instance.attach(() -> metrics.report(gauge, () -> age.get().toMillis()));
    }

    private static void showMetrics(Settings settings, ShuffleInstance instance, CommitLog log) {
        LabelledMetrics shown = LabelledMetrics.alone(instance.engine().metrics())
                .with("application", settings.value(MessagingSettings.INSTANCE_NAME))
                .with("engine", Optional.of(Integer.toString(RunningInstances.nextNumber())))
                .with("zone", Optional.of(settings.zone().name()));
        for (String listen : settings.value(MetricsSettings.LISTEN).stream().toList()) {
            MetricsEndpoint.Publication ignored = instance.attach(() -> MetricsEndpoint.publish(listen, shown));
        }
        ShuffleMetrics.Registration ignored =
                instance.attach(() -> RunningInstances.add(RunningInstance.of(instance, shown)
                        .over(new RunningInstance.Log(MessagingSettings.logShown(settings), log.answers()))));
    }

    private static Optional<LogSweeper> sweeper(Settings settings, ShuffleMetrics metrics, CommitLog log, Time time) {
        if (!log.retention().isAllowed()) {
            LOG.info("This instance does not sweep {}: its role may not administer the log.", log);
            return Optional.empty();
        }
        String uri = StoreSettings.uri(settings);
        StoreContext context = new StoreContext(time, MeteredBlobStore.meter(metrics));
        return settings.value(RetentionSettings.SWEEP_INTERVAL)
                .map(interval -> new LogSweeper(
                        log,
                        () -> BlobStores.openUnchecked(uri, context),
                        LogSweepOptions.USUAL.withFloor(settings.value(RetentionSettings.FLOOR)),
                        interval,
                        metrics,
                        time));
    }

    /**
     * Rejects a delivery timeout that exceeds the log's limit: the log rejects older blobs, so
     * their records would be lost.
     */
    private static void requireDeliveryInTime(Settings settings, CommitLog log) {
        Duration timeout = settings.value(WriteSettings.DELIVERY_TIMEOUT);
        Duration longest = log.retention().longestUncommitted();
        if (timeout.compareTo(longest) > 0) {
            throw new InvalidSettingsException(
                    "Cannot start: " + WriteSettings.DELIVERY_TIMEOUT + " is " + timeout.toMillis()
                            + ", and the log refuses blobs that are older than " + longest.toMillis()
                            + " ms. Give at most that, or change max_age in the log's schema.");
        }
    }

    private static Membership membership(Settings settings, CommitLog log, Time time) {
        List<Member> listed = FixedZoneMap.caches(settings.value(CacheSettings.ZONE_MEMBERS));
        if (!settings.value(CacheSettings.ZONE_ENABLED)) {
            return Membership.of(new FixedZoneMap(listed));
        }
        Optional<PeerSecrets> secrets =
                settings.value(PeerSettings.SECRET_FILE).map(Path::of).map(file -> PeerSecrets.read(file, time));
        return new LogMembership(log, listed, secrets, time);
    }

    @Override
    public Topics topics() {
        return topics;
    }

    @Override
    public ConsumerGroups groups() {
        return groups;
    }

    @Override
    public <K, V> Publisher<K, V> publisher(String name, Serde<K> keys, Serde<V> values) {
        checkOpen();
        return keep(LogPublisher.open(publishing, LogName.check("publisher", name), keys, values));
    }

    @Override
    public <K, V> Subscriber<K, V> subscriber(Subscription subscription, Serde<K> keys, Serde<V> values) {
        checkOpen();
        Optional<DeadLetters> letters = subscription.deadLetters().map(topic -> deadLetters(subscription, topic));
        return keep(LogSubscriber.open(subscribing, subscription, keys, values, letters));
    }

    private DeadLetters deadLetters(Subscription subscription, String topic) {
        LogTopic ignored = subscribing.catalog().ask(topic); // Fail now, not at the first dead letter.
        String name = "dead-letters/" + subscription.group() + "/" + Long.toHexString(time.randomLong());
        return new PublishedDeadLetters(topic, () -> LogPublisher.open(publishing, name, Serde.bytes(), Serde.bytes()));
    }

    private <T extends AutoCloseable> T keep(T user) {
        users.add(user);
        if (isClosed.get()) {
            close(user, new ArrayList<>());
            checkOpen();
        }
        return user;
    }

    @Override
    public Transaction begin(Publisher<?, ?> publisher) {
        return MessagingTransaction.begin(own(publisher), Optional.empty());
    }

    @Override
    public Transaction begin(Publisher<?, ?> publisher, Subscriber<?, ?> subscriber) {
        if (!(subscriber instanceof LogSubscriber<?, ?> reader) || !users.contains(subscriber)) {
            throw new IllegalArgumentException(
                    "Cannot begin a transaction: the subscriber is of another instance. Use one of this instance.");
        }
        return MessagingTransaction.begin(own(publisher), Optional.of(reader));
    }

    private LogPublisher<?, ?> own(Publisher<?, ?> publisher) {
        checkOpen();
        if (!(publisher instanceof LogPublisher<?, ?> writer) || !users.contains(publisher)) {
            throw new IllegalArgumentException(
                    "Cannot begin a transaction: the publisher is of another instance. Use one of this instance.");
        }
        return writer;
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw new ClosedException("Cannot use messaging: it is closed. Open another one.");
        }
    }

    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        List<RuntimeException> failures = new ArrayList<>();
        users.forEach(user -> close(user, failures));
        sweeper.ifPresent(each -> close(each, failures));
        close(tails, failures);
        close(sequencer, failures);
        close(instance.membership(), failures);
        close(instance, failures);
        if (!failures.isEmpty()) {
            RuntimeException first = failures.get(0);
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
    }

    private static void close(AutoCloseable part, List<RuntimeException> failures) {
        try {
            part.close();
        } catch (RuntimeException e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException("Cannot close " + part + ": " + e.getMessage(), e));
        }
    }
}
