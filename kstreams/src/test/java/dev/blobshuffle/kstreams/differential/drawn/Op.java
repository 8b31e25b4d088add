package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.drawn.Program.Flow;
import java.util.List;

/**
 * An operator of a topology. A topology omits or weakens an operator whose result would depend on
 * what Kafka Streams leaves undefined, such as the order of records from several tasks.
 */
sealed interface Op {
    /** The streams that it joins or merges with. */
    default List<Flow> others() {
        return List.of();
    }

    record SelectKey(Texts.Rekey by) implements Op {}

    record Map(Texts.Mapping by) implements Op {}

    record Filter() implements Op {}

    /** Copies with longer values. */
    record FlatMapValues() implements Op {}

    /** Copies with longer keys. */
    record FlatMap() implements Op {}

    /** Adds headers. */
    record Stamp() implements Op {}

    /** Changes timestamps. */
    record Shift(int millis) implements Op {}

    record Repartition(int partitions, Partitioning partitioning, Texts.Mapping before) implements Op {}

    record Aggregate(Fold fold, Window window, boolean isShort, Emission emission) implements Op {}

    /** One aggregate of two streams. */
    record Cogroup(Flow other) implements Op {
        @Override
        public List<Flow> others() {
            return List.of(other);
        }
    }

    record ToTable(boolean isVersioned) implements Op {}

    /** A table that is grouped by a part of its values, with a subtractor. */
    record Regroup() implements Op {}

    /** Counts the records of each key in a store. */
    record Remember(boolean isOfValues) implements Op {}

    /** Stores records until a punctuator forwards them. */
    record Buffer(boolean isByWallClock) implements Op {}

    /** Adds the value that a global table has for a part of each value. */
    record GlobalJoin(boolean isInner) implements Op {}

    /** Throws for some records. */
    record Fragile() implements Op {}

    /** Throws once, so that a thread is replaced. */
    record FailOnce() implements Op {}

    /** Sends some records to a separate sink. */
    record Split(List<Op> branch) implements Op {
        @Override
        public List<Flow> others() {
            return branch.stream().flatMap(op -> op.others().stream()).toList();
        }
    }

    record Merge(Flow other) implements Op {
        @Override
        public List<Flow> others() {
            return List.of(other);
        }
    }

    record Join(Joining joining, Kind kind, boolean isShort, Flow other) implements Op {
        @Override
        public List<Flow> others() {
            return List.of(other);
        }
    }

    /** The inputs of a join. */
    enum Joining {
        STREAMS,
        STREAM_TABLE,
        TABLES,
        FOREIGN_KEY
    }

    /** The sides whose records need no partner. */
    enum Kind {
        INNER,
        LEFT,
        OUTER
    }

    /** How the records of a key are combined. */
    enum Fold {
        COUNT,
        MAX,
        /** Depends on the order. */
        DIGEST,
        /** Depends on the order. */
        REDUCE;

        boolean dependsOnOrder() {
            return this == DIGEST || this == REDUCE;
        }
    }

    /** The windows of an aggregate. */
    enum Window {
        NONE,
        TUMBLING,
        HOPPING,
        SLIDING,
        SESSION
    }

    /** When an aggregate of a window is forwarded. */
    enum Emission {
        AT_UPDATE,
        /** At the end of the window, from a buffer. */
        SUPPRESSED,
        /** At the end of the window, from its store. */
        AT_CLOSE
    }

    /** The source of the partition choice. */
    enum Partitioning {
        DEFAULT,
        BY_VALUE,
        TO_ALL,
        /** Some records have no partition. */
        TO_NONE
    }
}
