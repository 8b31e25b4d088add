package dev.blobshuffle.flink.internal.route;

import dev.blobshuffle.flink.internal.reference.Reference;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.jspecify.annotations.Nullable;

/**
 * A key for each key group: a number that Flink assigns to that group. With it as the key of a
 * reference, Flink itself sends the reference to the subtask that owns the group, also when it
 * rescales what was in flight. Owned by one task.
 */
public final class RoutingKeys implements KeySelector<Reference, Integer> {
    private static final long serialVersionUID = 1L;

    private final int maxParallelism;
    private transient Integer @Nullable [] keys;

    /** Keys for so many key groups. */
    public RoutingKeys(int maxParallelism) {
        this.maxParallelism = maxParallelism;
    }

    @Override
    public Integer getKey(Reference reference) {
        Integer[] present = keys;
        if (present == null) {
            present = find(maxParallelism);
            keys = present;
        }
        return present[reference.group()];
    }

    /** Tries numbers until each group has one; with n groups that takes about n ln n of them. */
    private static Integer[] find(int groups) {
        Integer[] found = new Integer[groups];
        int missing = groups;
        for (int number = 0; missing > 0; number++) {
            int group = KeyGroupRangeAssignment.assignToKeyGroup(number, groups);
            if (found[group] == null) {
                found[group] = number;
                missing--;
            }
        }
        return found;
    }
}
