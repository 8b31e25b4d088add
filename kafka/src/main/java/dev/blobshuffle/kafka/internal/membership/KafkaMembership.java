package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.cache.CacheSettings;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shares the list of members through a compacted Kafka topic. Each member writes its zone, its
 * endpoint and the partitions that it reads, whenever they change and as a heartbeat. One thread
 * writes to the topic and reads it. Callers get the latest snapshot without waiting.
 *
 * <p>Problems with the topic never fail the application. While the topic cannot be used, the
 * membership logs one warning, keeps the last known members, and retries.
 *
 * <p>Thread-safe.
 */
public final class KafkaMembership implements Membership {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaMembership.class);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(1);

    private final String topic;
    private final MemberSignature signature;
    private final Map<String, ?> clientSettings;
    private final Zone zone;
    private final MembershipTiming timing;
    private final Time time;
    private final Time.Workers worker;
    private final Signal news;
    private final Signal ended;
    /** The id of an instance that has no endpoint, so no member requests its blobs from it. */
    private final long spareId;

    private final Map<Reading, Set<Partition>> readings = new ConcurrentHashMap<>();
    private final AtomicBoolean hasNews = new AtomicBoolean();
    private final LiveMembers live;
    private volatile MemberSnapshot snapshot;
    private volatile @Nullable MembershipTopic open;
    private volatile boolean isClosed;
    private volatile Runnable onRefusal = () -> {};
    private volatile Supplier<Optional<String>> combining = Optional::empty;
    private boolean warnedOfClocks;

    /** Owned by the membership's thread, like the next field. */
    private long epoch;

    private long nextRefusalWarning;

    /**
     * The membership that the settings ask for. It uses a topic if the settings name one. It also
     * does if there is a default topic and zones matter, because this instance knows its zone or
     * shares its cache. Otherwise the only members are those that the settings list.
     *
     * @param defaultTopic the topic if the settings name none; empty: without a name there is no
     *     topic
     * @param clientSettings of any Kafka client of the application: broker addresses and security
     * @param time its clocks and threads; closed after the membership
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the secret cannot be
     *     used
     */
    public static Membership of(
            Settings settings, Optional<String> defaultTopic, Map<String, ?> clientSettings, Time time) {
        boolean zonesMatter = !settings.zone().equals(Zone.SINGLE) || settings.value(CacheSettings.ZONE_ENABLED);
        List<Member> listed = FixedZoneMap.caches(settings.value(CacheSettings.ZONE_MEMBERS));
        return settings.value(KafkaSettings.MEMBERSHIP_TOPIC)
                .or(() -> defaultTopic.filter(topic -> zonesMatter))
                .<Membership>map(topic -> new KafkaMembership(
                        signature(settings, topic, time),
                        clientSettings,
                        settings.zone(),
                        listed,
                        MembershipTiming.USUAL,
                        time))
                .orElseGet(() -> Membership.of(new FixedZoneMap(listed)));
    }

    private static MemberSignature signature(Settings settings, String topic, Time time) {
        Optional<PeerSecrets> secrets =
                settings.value(PeerSettings.SECRET_FILE).map(Path::of).map(file -> PeerSecrets.read(file, time));
        return MemberSignature.of(secrets, topic);
    }

    /**
     * A membership that has not joined yet.
     *
     * @param signature names the topic, and signs and checks its records
     * @param listed members that settings list, always alive
     */
    KafkaMembership(
            MemberSignature signature,
            Map<String, ?> clientSettings,
            Zone zone,
            List<Member> listed,
            MembershipTiming timing,
            Time time) {
        this.topic = signature.topic();
        this.signature = signature;
        this.clientSettings = withoutNulls(clientSettings);
        this.zone = zone;
        this.timing = timing;
        this.time = time;
        live = new LiveMembers(timing, listed, signature, this::refused);
        snapshot = live.snapshot();
        news = time.signal();
        ended = time.signal();
        spareId = time.randomLong();
        nextRefusalWarning = time.nanos();
        worker = time.workers("blobshuffle-membership", 1);
    }

    @Override
    public void join(Optional<Member> answering) {
        worker.execute(() -> run(answering));
    }

    private static Map<String, Object> withoutNulls(Map<String, ?> settings) {
        Map<String, Object> given = new HashMap<>(settings);
        given.values().removeIf(value -> value == null);
        return given;
    }

    private void run(Optional<Member> answering) {
        long id = answering.map(Member::id).orElse(spareId);
        try {
            Duration pause = FIRST_RETRY;
            while (!isClosed) {
                boolean wasOpen = false;
                try (MembershipTopic opened =
                        MembershipTopic.open(topic, clientSettings, "blobshuffle-members-%016x".formatted(id))) {
                    wasOpen = true;
                    open = opened;
                    follow(opened, id, answering.map(Member::endpoint));
                } catch (
                        RuntimeException e) { // Whatever it is: without this thread, what is known would stay for ever.
                    pause = wasOpen ? FIRST_RETRY : pause;
                    warn(pause, e);
                    rest(pause);
                    pause = longer(pause);
                } finally {
                    open = null;
                }
            }
        } finally {
            ended.raise();
        }
    }

    private void warn(Duration pause, RuntimeException e) {
        if (isClosed) {
            return;
        }
        boolean isYoung = e instanceof UnknownTopicOrPartitionException; // Which is no reason to warn, but for long.
        if (pause.equals(isYoung ? longer(FIRST_RETRY) : FIRST_RETRY)) {
            LOG.warn(
                    "Members of the shuffle cannot find each other through topic {}: {}. Records are safe, but more"
                            + " bytes may cross zones."
                            + " Check the brokers, and that the application may describe, create, read and write the topic. Trying again.",
                    topic,
                    e.getMessage());
        } else {
            LOG.debug("Topic {} cannot be used yet.", topic, e);
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_RETRY) < 0 ? twice : LONGEST_RETRY;
    }

    private void rest(Duration pause) {
        long until = time.nanos() + pause.toNanos();
        try {
            while (!isClosed) {
                long seen = news.count();
                if (isClosed || !news.await(seen, until)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isClosed = true; // Another component than the owner has interrupted the thread.
        }
    }

    private void follow(MembershipTopic opened, long id, Optional<Endpoint> endpoint) {
        long nextBeat = time.nanos();
        while (!isClosed) {
            if (hasNews.getAndSet(false) || time.nanos() - nextBeat >= 0) {
                opened.send(
                        id,
                        signature.sign(
                                PresenceCodec.key(id), PresenceCodec.value(presence(id, endpoint)), nextEpoch()));
                nextBeat = time.nanos() + timing.heartbeat().toNanos();
            }
            for (ConsumerRecord<byte[], byte[]> record :
                    opened.poll(Duration.ofNanos(Math.max(0, nextBeat - time.nanos())))) {
                checkClock(record);
                live.heard(record.key(), record.value(), record.timestamp());
            }
            snapshot = live.snapshot();
            for (long dead : live.toForget(id)) {
                opened.send(dead, null);
            }
        }
        opened.send(id, null);
        opened.closeWithin(timing.leave());
    }

    private void checkClock(ConsumerRecord<byte[], byte[]> record) {
        if (!warnedOfClocks && record.timestampType() == TimestampType.CREATE_TIME) {
            warnedOfClocks = true;
            LOG.warn(
                    "Topic {} keeps the times of its writers, so members with a wrong clock count as"
                            + " dead. Set its message.timestamp.type to LogAppendTime.",
                    topic);
        }
    }

    private long nextEpoch() {
        epoch = Math.max(epoch + 1, time.wallMillis());
        return epoch;
    }

    /** Counts every refused record, and warns of them at most once a minute. */
    private void refused(long id, String reason) {
        onRefusal.run();
        if (time.nanos() - nextRefusalWarning < 0) {
            return;
        }
        nextRefusalWarning = time.nanos() + BETWEEN_WARNINGS.toNanos();
        LOG.warn(
                "Ignoring the record of member {} in topic {}: {}. This instance reads from the store instead. During an upgrade this ends"
                        + " with it. Otherwise check that all instances have the same blobshuffle.peer.secret.file, and who may write to the topic.",
                "%016x".formatted(id),
                topic,
                reason);
    }

    private Presence presence(long id, Optional<Endpoint> endpoint) {
        Set<Partition> reads = new HashSet<>();
        readings.values().forEach(reads::addAll);
        return new Presence(id, zone, endpoint, Footer.VERSION, PartitionRanges.of(reads), combining.get());
    }

    private void tellNews() {
        hasNews.set(true);
        news.raise();
        MembershipTopic opened = open;
        if (opened != null) {
            opened.wakeUp();
        }
    }

    @Override
    public void onRefusal(Runnable action) {
        onRefusal = action;
    }

    /** The next heartbeat shows a change. */
    @Override
    public void showCombining(Supplier<Optional<String>> text) {
        combining = text;
    }

    @Override
    public boolean isConnected() {
        return open != null;
    }

    @Override
    public Reading reading() {
        return new Reading() {
            @Override
            public void reads(Set<Partition> partitions) {
                Set<Partition> before = readings.put(this, Set.copyOf(partitions));
                if (before == null ? !partitions.isEmpty() : !before.equals(partitions)) {
                    tellNews();
                }
            }

            @Override
            public void close() {
                Set<Partition> before = readings.remove(this);
                if (before != null && !before.isEmpty()) {
                    tellNews();
                }
            }
        };
    }

    @Override
    public List<Member> members() {
        return snapshot.members();
    }

    @Override
    public List<Member> members(Zone where) {
        return snapshot.members(where);
    }

    @Override
    public Optional<Zone> zoneOf(Partition partition) {
        return snapshot.zoneOf(partition);
    }

    @Override
    public long version() {
        return snapshot.version();
    }

    /** Leaves, and waits a moment until the brokers know, if they answer. Idempotent. */
    @Override
    public void close() {
        long seen = ended.count();
        boolean mayWait = open != null && !isClosed;
        isClosed = true;
        tellNews();
        worker.close();
        if (mayWait) {
            try {
                boolean ignored =
                        ended.await(seen, time.nanos() + timing.leave().toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
