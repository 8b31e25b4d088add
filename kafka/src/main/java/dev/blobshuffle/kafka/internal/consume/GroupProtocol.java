package dev.blobshuffle.kafka.internal.consume;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kafka.internal.client.ProducerWiring;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.jspecify.annotations.Nullable;

/**
 * Keeps native members and writers of blobs out of the same group, under the classic group
 * protocol. A member without BlobShuffle mistakes a notification for a record without a key, and
 * drops it. The names of assignors prevent this: the coordinator rejects a member unless it offers
 * a name that all other members offer.
 *
 * <pre>
 * member                    offers, by preference                      group that has only such members uses
 * native                    range                                      range
 * blobs, writing off        blobshuffle-read-range, blobshuffle-range, range    blobshuffle-read-range
 * blobs, writing on         blobshuffle-range                          blobshuffle-range
 * </pre>
 *
 * <p>So members with writing off can join both other kinds, while native members and writers
 * exclude each other. The name in use shows which members a group has. Stateless.
 */
public final class GroupProtocol {
    /** Prefix of the assignor names of members that read notifications. */
    static final String READER = "blobshuffle-";

    /** Prefix of the assignor names that only members with writing off offer. */
    static final String ROLLING = "blobshuffle-read-";

    private static final List<Class<? extends BlobAssignor>> READERS =
            List.of(BlobAssignor.FirstReader.class, BlobAssignor.SecondReader.class, BlobAssignor.ThirdReader.class);
    private static final List<Class<? extends BlobAssignor>> ROLLINGS =
            List.of(BlobAssignor.FirstRolling.class, BlobAssignor.SecondRolling.class, BlobAssignor.ThirdRolling.class);

    private GroupProtocol() {}

    /** The members of a classic group, as the name of its assignor shows. */
    public enum Members {
        /** At least one member does not read notifications, or no member uses BlobShuffle. */
        SOME_NATIVE,
        /** All members read notifications, and all have writing off: native members may join. */
        ROLLING,
        /**
         * All members read notifications, and at least one writes blobs: native members are
         * rejected.
         */
        WRITING
    }

    /** The members of a classic group, by the name of its assignor. */
    public static Members members(String assignor) {
        if (assignor.startsWith(ROLLING)) {
            return Members.ROLLING;
        }
        return assignor.startsWith(READER) ? Members.WRITING : Members.SOME_NATIVE;
    }

    /** As {@link #members}; empty if the name is not ours, or the group has no members. */
    public static Optional<Members> membersIfOurs(String assignor) {
        return assignor.startsWith(READER) ? Optional.of(members(assignor)) : Optional.empty();
    }

    /**
     * The settings of a real consumer, with the assignors that it should offer. With another group
     * protocol, or without a group, the settings stay unchanged.
     *
     * @param writes whether the application writes blobs
     * @throws InvalidSettingsException fatal: there are too many assignors
     */
    public static Map<String, Object> offering(Map<String, Object> consumer, ProducerWiring.Writes writes) {
        if (consumer.get(ConsumerConfig.GROUP_ID_CONFIG) == null || !isClassic(consumer)) {
            return consumer;
        }
        List<Object> own = assignors(consumer.get(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG));
        if (own.size() > READERS.size()) {
            throw new InvalidSettingsException("Cannot read notifications with " + own.size() + " assignors: "
                    + ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG + " may have " + READERS.size()
                    + " at most. Remove those that no member needs.");
        }
        List<Object> offered = new ArrayList<>();
        if (writes == ProducerWiring.Writes.PLAIN) {
            offered.addAll(ROLLINGS.subList(0, own.size()));
        }
        offered.addAll(READERS.subList(0, own.size()));
        if (writes == ProducerWiring.Writes.PLAIN) {
            offered.addAll(own);
        }
        Map<String, Object> settings = new HashMap<>(consumer);
        settings.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, offered);
        settings.put(BlobAssignor.ASSIGNORS, own);
        return settings;
    }

    private static boolean isClassic(Map<String, Object> consumer) {
        Object protocol = consumer.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
        return protocol == null
                || protocol.toString().strip().toLowerCase(Locale.ROOT).equals("classic");
    }

    private static List<Object> assignors(@Nullable Object setting) {
        if (setting instanceof List<?> list && !list.isEmpty()) {
            return List.copyOf(list);
        }
        if (setting instanceof Class<?> type) {
            return List.of(type);
        }
        if (setting instanceof String names && !names.isBlank()) {
            return Arrays.stream(names.split(","))
                    .map(String::strip)
                    .map(Object.class::cast)
                    .toList();
        }
        return List.of(RangeAssignor.class, CooperativeStickyAssignor.class); // Kafka's default
    }
}
