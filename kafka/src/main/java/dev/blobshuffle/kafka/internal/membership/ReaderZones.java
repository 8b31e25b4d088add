package dev.blobshuffle.kafka.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The zone of each partition's readers. If members of several zones read a partition, the zone with
 * the most of them counts. In a tie the first zone by name does, so all writers choose the same
 * zone. Partitions are stored as ranges, so memory does not depend on how many partitions the
 * ranges contain. Immutable.
 */
final class ReaderZones {
    /** A region has fewer than ten zones. More zones would only make comparisons slower. */
    private static final int MOST_ZONES = 64;

    private final Map<String, Steps> byTopic;

    private ReaderZones(Map<String, Steps> byTopic) {
        this.byTopic = byTopic;
    }

    /**
     * The zones as a step function: the zone at an index holds from the start at the same index to
     * the next start. Empty: no member reads these partitions.
     */
    private record Steps(int[] starts, List<Optional<Zone>> zones) {
        Optional<Zone> of(int partition) {
            int at = Arrays.binarySearch(starts, partition);
            int step = at >= 0 ? at : -at - 2;
            return step < 0 ? Optional.empty() : zones.get(step);
        }
    }

    /** A change at a partition: one more reader in the zone (+1), or one less (-1). */
    private record Edge(int partition, Zone zone, int change) {}

    static ReaderZones of(Collection<Presence> alive) {
        Map<String, List<Edge>> edges = new HashMap<>();
        for (Presence presence : alive) {
            presence.reads().forEach((topic, first, last) -> {
                List<Edge> ofTopic = edges.computeIfAbsent(topic, unread -> new ArrayList<>());
                ofTopic.add(new Edge(first, presence.zone(), 1));
                ofTopic.add(new Edge(last + 1, presence.zone(), -1));
            });
        }
        Map<String, Steps> byTopic = new HashMap<>();
        edges.forEach((topic, ofTopic) -> byTopic.put(topic, steps(ofTopic)));
        return new ReaderZones(byTopic);
    }

    private static Steps steps(List<Edge> edges) {
        edges.sort(Comparator.comparingInt(Edge::partition));
        int[] starts = new int[edges.size()];
        List<Optional<Zone>> zones = new ArrayList<>();
        Map<Zone, Integer> readers = new TreeMap<>(Comparator.comparing(Zone::name));
        for (int i = 0; i < edges.size(); i++) {
            Edge edge = edges.get(i);
            if (readers.containsKey(edge.zone()) || edge.change() > 0 && readers.size() < MOST_ZONES) {
                readers.merge(edge.zone(), edge.change(), (a, b) -> a + b == 0 ? null : a + b);
            }
            boolean isLast = i + 1 == edges.size() || edges.get(i + 1).partition() > edge.partition();
            if (isLast) {
                starts[zones.size()] = edge.partition();
                zones.add(most(readers));
            }
        }
        return new Steps(Arrays.copyOf(starts, zones.size()), zones);
    }

    /** @param readers by the names of their zones in ascending order */
    private static Optional<Zone> most(Map<Zone, Integer> readers) {
        Optional<Zone> most = Optional.empty();
        int count = 0;
        for (Map.Entry<Zone, Integer> zone : readers.entrySet()) {
            if (zone.getValue() > count) {
                most = Optional.of(zone.getKey());
                count = zone.getValue();
            }
        }
        return most;
    }

    Optional<Zone> of(Partition partition) {
        Steps steps = byTopic.get(partition.stream());
        return steps == null ? Optional.empty() : steps.of(partition.number());
    }
}
