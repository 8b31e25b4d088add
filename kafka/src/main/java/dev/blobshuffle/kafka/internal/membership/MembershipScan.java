package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.kafka.internal.log.LogScan;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads a membership topic once, to show its content to operators. It does not join the membership
 * and checks no signatures. Stateless.
 */
public final class MembershipScan {
    /**
     * Limit on members, far above real numbers. Protects the memory if the topic holds other data.
     */
    private static final int MOST = 10_000;

    private MembershipScan() {}

    /**
     * A member according to its latest record.
     *
     * @param id its number
     * @param zone where it runs
     * @param endpoint where it serves other members; empty if it does not
     * @param reads the partitions that it reads
     * @param heardMillis when the broker received its latest record, milliseconds since the Unix
     *     epoch
     * @param combining whether it combines its blobs: {@code on}, or {@code off} and the reason;
     *     empty if unknown
     */
    public record Seen(
            long id,
            Zone zone,
            Optional<Endpoint> endpoint,
            PartitionRanges reads,
            long heardMillis,
            Optional<String> combining) {
        /** Whether the other members consider it dead. */
        public boolean isSilent(long nowMillis) {
            return nowMillis - heardMillis > MembershipTiming.USUAL.timeToLive().toMillis();
        }
    }

    /**
     * The members that have not left, by zone.
     *
     * @param partitions those of the membership topic
     * @throws IllegalStateException if the scan makes no progress for the timeout
     */
    public static List<Seen> read(LogScan scan, Collection<TopicPartition> partitions, Duration timeout) {
        Map<Long, Seen> seen = new HashMap<>();
        scan.read(
                partitions.stream().collect(Collectors.toMap(Function.identity(), any -> 0L)),
                timeout,
                record -> PresenceCodec.id(record.key()).ifPresent(id -> {
                    Optional<Presence> presence =
                            record.value() == null ? Optional.empty() : PresenceCodec.presence(id, record.value());
                    if (presence.isEmpty()) {
                        seen.remove(id);
                    } else if (seen.size() < MOST || seen.containsKey(id)) {
                        Presence now = presence.get();
                        seen.put(
                                id,
                                new Seen(
                                        id,
                                        now.zone(),
                                        now.endpoint(),
                                        now.reads(),
                                        record.timestamp(),
                                        now.combining()));
                    }
                }));
        return seen.values().stream()
                .sorted(Comparator.comparing((Seen member) -> member.zone().name())
                        .thenComparing(Seen::id))
                .toList();
    }
}
