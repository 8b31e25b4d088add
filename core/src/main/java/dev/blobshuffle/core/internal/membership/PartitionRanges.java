package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Partitions of topics as ranges of numbers. A range takes the same memory for any length.
 * Immutable.
 */
public final class PartitionRanges {
    private static final PartitionRanges NONE = new PartitionRanges(new TreeMap<>());

    /**
     * The ranges by topic: the first and the last number of each range, in turn, ascending and
     * disjoint.
     */
    private final TreeMap<String, int[]> byTopic;

    private PartitionRanges(TreeMap<String, int[]> byTopic) {
        this.byTopic = byTopic;
    }

    /** No partition. */
    public static PartitionRanges none() {
        return NONE;
    }

    /** Exactly these partitions, in as few ranges as possible. */
    public static PartitionRanges of(Collection<Partition> partitions) {
        Map<String, TreeSet<Integer>> numbers = new TreeMap<>();
        for (Partition partition : partitions) {
            numbers.computeIfAbsent(partition.stream(), topic -> new TreeSet<>())
                    .add(partition.number());
        }
        Builder builder = new Builder();
        numbers.forEach((topic, all) -> builder.add(topic, ends(all)));
        return builder.build();
    }

    private static int[] ends(TreeSet<Integer> numbers) {
        int[] ends = new int[2 * numbers.size()];
        int count = 0;
        for (int number : numbers) {
            if (count > 0 && ends[count - 1] == number - 1) {
                ends[count - 1] = number;
            } else {
                ends[count++] = number;
                ends[count++] = number;
            }
        }
        return Arrays.copyOf(ends, count);
    }

    /** Whether a partition is one of these. */
    public boolean contains(Partition partition) {
        int[] ends = byTopic.getOrDefault(partition.stream(), new int[0]);
        int at = Arrays.binarySearch(ends, partition.number());
        return at >= 0 || (-at - 1) % 2 == 1;
    }

    /** The number of topics. */
    public int topics() {
        return byTopic.size();
    }

    /** The number of ranges over all topics. */
    public long ranges() {
        return byTopic.values().stream().mapToLong(ends -> ends.length / 2).sum();
    }

    /** Visits every range, by topic and in ascending order. */
    public void forEach(Visitor visitor) {
        byTopic.forEach((topic, ends) -> {
            for (int i = 0; i < ends.length; i += 2) {
                visitor.range(topic, ends[i], ends[i + 1]);
            }
        });
    }

    /** Visits ranges one by one. */
    public interface Visitor {
        /** Partitions {@code first} to {@code last} of a topic, both included. */
        void range(String topic, int first, int last);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof PartitionRanges ranges) || !byTopic.keySet().equals(ranges.byTopic.keySet())) {
            return false;
        }
        return byTopic.entrySet().stream()
                .allMatch(topic -> Arrays.equals(topic.getValue(), ranges.byTopic.get(topic.getKey())));
    }

    @Override
    public int hashCode() {
        int hash = byTopic.keySet().hashCode();
        for (int[] ends : byTopic.values()) {
            hash = 31 * hash + Arrays.hashCode(ends);
        }
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        forEach((topic, first, last) -> text.append(topic)
                .append(' ')
                .append(first)
                .append('-')
                .append(last)
                .append(", "));
        return text.toString();
    }

    /** Collects ranges. Owned by one thread. */
    public static final class Builder {
        private final TreeMap<String, int[]> byTopic = new TreeMap<>();

        /**
         * Adds ranges of a topic that has none yet.
         *
         * @param ends the first and the last number of each range, in turn
         * @throws IllegalArgumentException if the ranges are not ascending and disjoint, or the
         *     topic already has ranges
         */
        public void add(String topic, int... ends) {
            for (int i = 0; i < ends.length; i += 2) {
                if (ends[i] < 0 || ends[i + 1] < ends[i] || i > 0 && ends[i] <= ends[i - 1]) {
                    throw new IllegalArgumentException(
                            "Cannot form ranges of " + topic + ": they are not ascending and disjoint.");
                }
            }
            if (ends.length % 2 != 0 || byTopic.putIfAbsent(topic, ends.clone()) != null) {
                throw new IllegalArgumentException("Cannot form ranges of " + topic + ": it is named twice.");
            }
        }

        /** The added ranges. */
        public PartitionRanges build() {
            return new PartitionRanges(new TreeMap<>(byTopic));
        }
    }
}
