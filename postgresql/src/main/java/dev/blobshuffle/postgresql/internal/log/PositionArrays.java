package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Consumed positions as arrays of equal length, for functions. Not to be changed. */
record PositionArrays(
        int[] topics,
        int[] partitions,
        long[] generations,
        long[] positions,
        @Nullable String[] metadata) {

    static PositionArrays of(List<ConsumedPosition> given) {
        return new PositionArrays(
                given.stream().mapToInt(each -> each.partition().topic()).toArray(),
                given.stream().mapToInt(each -> each.partition().partition()).toArray(),
                given.stream().mapToLong(ConsumedPosition::generation).toArray(),
                given.stream().mapToLong(ConsumedPosition::position).toArray(),
                given.stream().map(each -> each.metadata().orElse(null)).toArray(String[]::new));
    }
}
