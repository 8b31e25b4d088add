package dev.blobshuffle.kstreams.keyparallel;

/**
 * How many calls a task may have under way. Immutable.
 *
 * @param least the number to begin with, 1 or more
 * @param most the number never exceeded; equal to the least where the number is fixed
 */
public record Concurrency(int least, int most) {
    /** Checks the values. */
    public Concurrency {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException("Cannot make " + least + " to " + most
                    + " calls at a time. Give 1 or more, and a highest number that is not below the lowest.");
        }
    }

    /** Always the same number. */
    static Concurrency fixed(int calls) {
        return new Concurrency(calls, calls);
    }

    /** Whether the number follows what the service can do. */
    boolean isAdaptive() {
        return least < most;
    }

    @Override
    public String toString() {
        return isAdaptive() ? least + ".." + most : String.valueOf(most);
    }
}
