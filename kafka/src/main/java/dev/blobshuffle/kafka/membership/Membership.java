package dev.blobshuffle.kafka.membership;

import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.membership.FixedZoneMap;
import dev.blobshuffle.core.membership.Member;
import dev.blobshuffle.core.membership.PeerSecret;
import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The members of a shuffle, and this instance's part among them. Thread-safe. */
public interface Membership extends ZoneMap, AutoCloseable {
    /**
     * Begins to tell others of this instance, and to hear of them, in the background.
     *
     * @param self where this instance answers others; empty if it does not
     */
    void join(Optional<Member> self);

    /** Counts into these metrics which records were refused. By default nothing is refused. */
    default void countInto(ShuffleMetrics metrics) {}

    /** A consumer of this instance, which reads nothing yet. */
    Reading reading();

    /** Leaves: others stop asking this instance. Idempotent. */
    @Override
    void close();

    /** Nobody: nothing is told, and no zone is known. */
    static Membership none() {
        return new FixedMembership(new FixedZoneMap(List.of()));
    }

    /**
     * The membership that settings ask for: by topic if one is named, or if there is a default and zones matter because this instance knows its own or shares its cache; otherwise only
     * those that settings list.
     *
     * @param defaultTopic the topic where settings name none; empty: without a name there is no topic
     * @param clientSettings of any Kafka client of the application: where the brokers are, and security
     * @param time its clocks and threads; closed after the membership
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the secret cannot be used
     */
    static Membership of(Settings settings, Optional<String> defaultTopic, Map<String, ?> clientSettings, Time time) {
        boolean zonesMatter = !settings.zone().equals(Zone.SINGLE) || settings.value(Settings.CACHE_ZONE_ENABLED);
        List<Member> listed = FixedZoneMap.caches(settings.value(Settings.CACHE_ZONE_MEMBERS));
        return settings.value(Settings.MEMBERSHIP_TOPIC)
                .or(() -> defaultTopic.filter(topic -> zonesMatter))
                .<Membership>map(topic -> new KafkaMembership(
                        signature(settings, topic),
                        clientSettings,
                        settings.zone(),
                        listed,
                        MembershipTiming.USUAL,
                        time))
                .orElseGet(() -> new FixedMembership(new FixedZoneMap(listed)));
    }

    private static MemberSignature signature(Settings settings, String topic) {
        Optional<PeerSecret> secret =
                settings.value(Settings.PEER_SECRET_FILE).map(Path::of).map(PeerSecret::read);
        return MemberSignature.of(secret, topic);
    }

    /** What one consumer reads. Owned by the consumer's thread. */
    interface Reading extends AutoCloseable {
        /** Tells which topics the consumer has subscribed to, of those that shuffle through blobs, before it reads partitions of them; none where partitions are assigned by hand. */
        default void subscribed(Set<String> topics) {}

        /** Tells which partitions the consumer reads from now on. */
        void reads(Set<Partition> partitions);

        /** The consumer reads nothing any more. Idempotent. */
        @Override
        void close();
    }
}
