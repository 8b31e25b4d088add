package dev.blobshuffle.cli.topology;

import dev.blobshuffle.cli.topology.TopologyNode.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the output of Kafka Streams' {@code Topology.describe()}. Ignores other lines, so the
 * input may be part of a log. Stateless.
 */
final class TopologyText {
    private static final Pattern NODE =
            Pattern.compile("\\s*(Source|Processor|Sink):\\s+(\\S+)\\s+\\(([\\w ]+): (.*)\\)\\s*");
    private static final Pattern FORWARDS = Pattern.compile("\\s*-->\\s*(.*?)\\s*");
    private static final String NONE = "none";

    private TopologyText() {}

    /**
     * The nodes, in the order of the text.
     *
     * @throws TopologyRefusedException if there is no node, or a successor is missing
     */
    static List<TopologyNode> read(List<String> lines) {
        Map<String, TopologyNode> nodes = new LinkedHashMap<>();
        String last = "";
        for (String line : lines) {
            Matcher node = NODE.matcher(line);
            Matcher forwards = FORWARDS.matcher(line);
            if (node.matches()) {
                last = node.group(2);
                Kind kind = Kind.valueOf(node.group(1).toUpperCase(Locale.ROOT));
                TopologyNode read = new TopologyNode(last, kind, topics(node.group(3), node.group(4)), List.of());
                if (nodes.put(last, read) != null) {
                    throw new TopologyRefusedException("it has two nodes '" + last + "'. Give one topology at a time");
                }
            } else if (forwards.matches()) {
                nodes.computeIfPresent(
                        last,
                        (name, known) ->
                                new TopologyNode(name, known.kind(), known.topics(), names(forwards.group(1))));
            }
        }
        check(nodes);
        return List.copyOf(nodes.values());
    }

    private static void check(Map<String, TopologyNode> nodes) {
        if (nodes.isEmpty()) {
            throw new TopologyRefusedException(
                    "it names no source, processor or sink. Give what Topology.describe() of Kafka Streams prints");
        }
        nodes.values()
                .forEach(node -> node.successors().forEach(successor -> {
                    if (!nodes.containsKey(successor)) {
                        throw new TopologyRefusedException("'" + node.name() + "' forwards to '" + successor
                                + "', which is not in it. Give all lines that Topology.describe() prints");
                    }
                }));
    }

    /**
     * Parses the topics: "topics: [a, b]" of a source, "topic: a" of a sink; other words if records
     * select them.
     */
    private static Set<String> topics(String word, String value) {
        return switch (word) {
            case "topics" ->
                value.startsWith("[") && value.endsWith("]")
                        ? new LinkedHashSet<>(names(value.substring(1, value.length() - 1)))
                        : Set.of();
            case "topic" -> Set.of(value);
            default -> Set.of();
        };
    }

    private static List<String> names(String list) {
        List<String> names = new ArrayList<>();
        for (String name : list.split(",", -1)) {
            if (!name.isBlank() && !name.strip().equals(NONE)) {
                names.add(name.strip());
            }
        }
        return names;
    }
}
