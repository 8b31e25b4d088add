package dev.blobshuffle.cli.topology;

import java.util.List;
import java.util.Set;

/**
 * A node of a topology.
 *
 * @param name unique in its topology
 * @param kind what it does
 * @param topics those that it reads or writes; none for a processor, or if records choose them
 * @param successors names of the nodes that it forwards to
 */
record TopologyNode(String name, Kind kind, Set<String> topics, List<String> successors) {
    /** What a node does. */
    enum Kind {
        SOURCE,
        PROCESSOR,
        SINK
    }

    /** What a processor does to the key, as far as its name shows. */
    enum Key {
        /** Its function has no way to return another key. */
        KEPT,

        /** Its function returns a key, which may be the same one. */
        RETURNED,

        /** It exists to set the key. */
        SET,

        /** The application has named it. */
        UNKNOWN
    }

    /** Operations of the DSL that return keys; those that only set one are in {@link #SETTING}. */
    private static final List<String> RETURNING =
            List.of("KSTREAM-MAP-", "KSTREAM-FLATMAP-", "KSTREAM-PROCESSOR-", "KSTREAM-TRANSFORM-");

    private static final List<String> SETTING = List.of("KSTREAM-KEY-SELECT-", "KTABLE-SELECT-");

    /** What Kafka Streams calls the nodes that the application has not named. */
    private static final List<String> GENERATED = List.of("KSTREAM-", "KTABLE-");

    /** Kafka Streams appends it to a shuffle's name, for the filter that drops null keys. */
    private static final String FILTER_BEFORE_SINK = "-repartition-filter";

    /** What happens to the key here. */
    Key key() {
        if (isOneOf(SETTING)) {
            return Key.SET;
        }
        if (isOneOf(RETURNING)) {
            return Key.RETURNED;
        }
        return isOneOf(GENERATED) || name.endsWith(FILTER_BEFORE_SINK) ? Key.KEPT : Key.UNKNOWN;
    }

    /** Whether Kafka Streams has named it after one of these operations. */
    boolean isOneOf(List<String> operations) {
        return operations.stream().anyMatch(name::startsWith);
    }
}
