package dev.blobshuffle.cli.topology;

import dev.blobshuffle.cli.topology.TopologyNode.Key;
import dev.blobshuffle.cli.topology.TopologyNode.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds the repartition topics of a topology, and those that the application may not need. It only
 * knows names, not functions, so each finding is a question to the application's authors.
 * Immutable.
 */
final class TopologyReview {
    private static final String REPARTITION = "-repartition";

    /** Operations that may reduce the number or the size of records. */
    private static final List<String> SHRINKING = List.of("KSTREAM-FILTER-", "KSTREAM-MAPVALUES-");

    private final Map<String, TopologyNode> nodes;
    private final Map<String, Set<TopologyNode>> predecessors = new LinkedHashMap<>();
    private final Map<String, Integer> depths = new HashMap<>();
    private final List<Repartition> repartitions;

    TopologyReview(List<TopologyNode> all) {
        nodes = all.stream()
                .collect(Collectors.toMap(
                        TopologyNode::name, Function.identity(), (first, second) -> first, LinkedHashMap::new));
        all.forEach(node -> node.successors()
                .forEach(successor -> predecessors
                        .computeIfAbsent(successor, name -> new LinkedHashSet<>())
                        .add(node)));
        repartitions = topics().stream().map(this::repartition).toList();
    }

    /** The repartition topics, by name. */
    List<Repartition> repartitions() {
        return repartitions;
    }

    /** The most repartition topics on a record's path. */
    int depth() {
        return repartitions.stream().mapToInt(Repartition::depth).max().orElse(0);
    }

    /** The findings, each of a sentence or two. */
    List<String> findings() {
        List<String> findings = new ArrayList<>();
        repeated(findings);
        for (Repartition repartition : repartitions) {
            withoutNewKey(repartition, findings);
            perhapsWithoutNewKey(repartition, findings);
            filteredTooLate(repartition, findings);
        }
        return findings;
    }

    /** Finds topics with the same keys of the same records. */
    private void repeated(List<String> findings) {
        Map<Set<TopologyNode>, List<Repartition>> byKey = repartitions.stream()
                .filter(repartition -> isKeyed(repartition))
                .collect(Collectors.groupingBy(Repartition::keyedBy, LinkedHashMap::new, Collectors.toList()));
        byKey.forEach((keyedBy, same) -> {
            if (same.size() > 1) {
                findings.add(
                        same.stream().map(Repartition::topic).collect(Collectors.joining(", "))
                                + ": each shuffles what " + names(keyedBy)
                                + " returns. Set topology.optimization=all, or call repartition() once and build on its result.");
            }
        });
    }

    private static boolean isKeyed(Repartition repartition) {
        return repartition.keyedBy().stream().anyMatch(node -> node.kind() != Kind.SOURCE);
    }

    private static void withoutNewKey(Repartition repartition, List<String> findings) {
        if (!repartition.keyedBy().isEmpty() && !isKeyed(repartition)) {
            String topics = repartition.keyedBy().stream()
                    .flatMap(source -> source.topics().stream())
                    .collect(Collectors.joining(", "));
            findings.add(
                    repartition.topic() + ": nothing changes the key between "
                            + (topics.isEmpty() ? names(repartition.keyedBy()) : topics)
                            + " and here. It is needed only for another number of partitions, or if the producers partition otherwise.");
        }
    }

    private static void perhapsWithoutNewKey(Repartition repartition, List<String> findings) {
        if (repartition.keyedBy().stream().allMatch(node -> node.key() == Key.RETURNED) && isKeyed(repartition)) {
            findings.add(
                    repartition.topic() + ": does " + names(repartition.keyedBy())
                            + " change the key? If not, use mapValues, flatMapValues or processValues, and there is no shuffle.");
        }
    }

    private static void filteredTooLate(Repartition repartition, List<String> findings) {
        if (repartition.readers().size() == 1) {
            TopologyNode reader = repartition.readers().get(0);
            if (reader.isOneOf(SHRINKING)) {
                findings.add(
                        repartition.topic() + ": " + reader.name()
                                + " comes first behind it. If it drops records or makes them smaller, let it come before the shuffle.");
            }
        }
    }

    static String names(Set<TopologyNode> nodes) {
        return nodes.stream().map(TopologyNode::name).sorted().collect(Collectors.joining(", "));
    }

    private Set<String> topics() {
        return nodes.values().stream()
                .flatMap(node -> node.topics().stream())
                .filter(topic -> topic.endsWith(REPARTITION))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Repartition repartition(String topic) {
        List<TopologyNode> readers = at(topic, Kind.SOURCE).stream()
                .flatMap(source -> source.successors().stream())
                .map(this::node)
                .toList();
        return new Repartition(topic, keyedBy(topic), readers, depth(topic));
    }

    private List<TopologyNode> at(String topic, Kind kind) {
        return nodes.values().stream()
                .filter(node -> node.kind() == kind && node.topics().contains(topic))
                .toList();
    }

    /** Searches backwards from the sinks for the first nodes on each path that may set the key. */
    private Set<TopologyNode> keyedBy(String topic) {
        Set<TopologyNode> found = new LinkedHashSet<>();
        Set<TopologyNode> seen = new HashSet<>();
        Deque<TopologyNode> left = new ArrayDeque<>(at(topic, Kind.SINK));
        while (!left.isEmpty()) {
            TopologyNode node = left.remove();
            if (!seen.add(node)) {
                continue;
            }
            boolean isStart = node.kind() == Kind.SOURCE || node.kind() == Kind.PROCESSOR && node.key() != Key.KEPT;
            if (isStart) {
                found.add(node);
            } else {
                left.addAll(before(node));
            }
        }
        return found;
    }

    /** The longest path through repartition topics. A cycle ends the path. */
    private int depth(String topic) {
        Integer known = depths.putIfAbsent(topic, 0);
        if (known != null) {
            return known;
        }
        Set<TopologyNode> seen = new HashSet<>();
        Deque<TopologyNode> left = new ArrayDeque<>(at(topic, Kind.SINK));
        int before = 0;
        while (!left.isEmpty()) {
            TopologyNode node = left.remove();
            if (seen.add(node)) {
                left.addAll(before(node));
                for (String source : node.kind() == Kind.SOURCE ? node.topics() : Set.<String>of()) {
                    before = Math.max(before, source.endsWith(REPARTITION) ? depth(source) : 0);
                }
            }
        }
        depths.put(topic, before + 1);
        return before + 1;
    }

    private Set<TopologyNode> before(TopologyNode node) {
        return predecessors.getOrDefault(node.name(), Set.of());
    }

    private TopologyNode node(String name) {
        TopologyNode node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("Cannot find node " + name + ".");
        }
        return node;
    }
}
