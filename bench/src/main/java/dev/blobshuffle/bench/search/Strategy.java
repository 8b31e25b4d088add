package dev.blobshuffle.bench.search;

import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/**
 * A way to find the first value that holds, in a list that is sorted from bad to good. Stateless.
 */
public enum Strategy {
    /** Tries all, so that a value that fails between two that hold is seen. */
    FULL {
        @Override
        OptionalInt first(int from, int to, Check check) throws IOException, InterruptedException {
            OptionalInt found = OptionalInt.empty();
            for (int i = from; i < to; i++) {
                boolean holds = check.holds(i);
                if (holds && found.isEmpty()) {
                    found = OptionalInt.of(i);
                }
            }
            return found;
        }
    },

    /** Tries one after the other until one holds. The result is right even if later values fail. */
    LINEAR {
        @Override
        OptionalInt first(int from, int to, Check check) throws IOException, InterruptedException {
            for (int i = from; i < to; i++) {
                if (check.holds(i)) {
                    return OptionalInt.of(i);
                }
            }
            return OptionalInt.empty();
        }
    },

    /** Halves the remaining range. All values beyond a value that holds must hold too. */
    BINARY {
        @Override
        OptionalInt first(int from, int to, Check check) throws IOException, InterruptedException {
            int low = from;
            int high = to;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (check.holds(middle)) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low < to ? OptionalInt.of(low) : OptionalInt.empty();
        }
    };

    /** Whether the value at an index holds. */
    interface Check {
        boolean holds(int index) throws IOException, InterruptedException;
    }

    /** The index of the first value that holds, of those from an index to before another. */
    abstract OptionalInt first(int from, int to, Check check) throws IOException, InterruptedException;

    /** The strategy of a name in options. */
    public static Strategy named(String name) {
        for (Strategy strategy : values()) {
            if (strategy.name().equalsIgnoreCase(name)) {
                return strategy;
            }
        }
        throw new IllegalArgumentException("Cannot search by " + name + ": there is no such strategy. Give one of "
                + List.of("full", "linear", "binary") + ".");
    }
}
