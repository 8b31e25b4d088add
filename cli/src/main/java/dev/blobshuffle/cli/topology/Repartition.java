package dev.blobshuffle.cli.topology;

import java.util.List;
import java.util.Set;

/**
 * A repartition topic.
 *
 * @param topic its name, as the topology has it
 * @param keyedBy the last nodes before it that may set the key; for a path without one, its source
 * @param readers the first nodes behind it
 * @param depth how many repartition topics a record passes up to here, this one included
 */
record Repartition(String topic, Set<TopologyNode> keyedBy, List<TopologyNode> readers, int depth) {}
