package dev.blobshuffle.cli.topology;

import java.util.List;
import java.util.Set;

/**
 * A repartition topic.
 *
 * @param topic its name in the topology
 * @param keyedBy the last nodes before it that may set the key; for a path without such a node, its
 *     source
 * @param readers the first nodes after it
 * @param depth the number of repartition topics on a record's path up to here, including this one
 */
record Repartition(String topic, Set<TopologyNode> keyedBy, List<TopologyNode> readers, int depth) {}
