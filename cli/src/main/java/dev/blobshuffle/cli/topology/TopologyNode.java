package dev.blobshuffle.cli.topology;

import java.util.List;
import java.util.Set;

/**
 * A node of a topology.
 *
 * @param name unique in its topology
 * @param kind of the node
 * @param topics that it reads or writes; empty for a processor, or if records select them
 * @param successors names of the nodes to which it forwards
 */
record TopologyNode(String name, Kind kind, Set<String> topics, List<String> successors) {
    /** The kind of a node. */
    enum Kind {
        SOURCE,
        PROCESSOR,
        SINK
    }

    /** The effect of a processor on the key, according to its name. */
    enum Key {
        /** Its function cannot return another key. */
        KEPT,

        /** Its function returns a key, which may be the same. */
        RETURNED,

        /** Its purpose is to set the key. */
        SET,

        /** The application has named the node. */
        UNKNOWN
    }

    /**
     * Operations of the DSL that return keys. Those that only set a key are in {@link #SETTING}.
     */
    private static final List<String> RETURNING =
            List.of("KSTREAM-MAP-", "KSTREAM-FLATMAP-", "KSTREAM-PROCESSOR-", "KSTREAM-TRANSFORM-");

    private static final List<String> SETTING = List.of("KSTREAM-KEY-SELECT-", "KTABLE-SELECT-");

    /** Kafka Streams' name prefixes of nodes that the application has not named. */
    private static final List<String> GENERATED = List.of("KSTREAM-", "KTABLE-");

    /**
     * The suffix that Kafka Streams appends to a shuffle's name for the filter that drops null
     * keys.
     */
    private static final String FILTER_BEFORE_SINK = "-repartition-filter";

    /** The effect on the key. */
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
