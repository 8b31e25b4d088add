package dev.blobshuffle.kstreams.keyparallel.calls;

/**
 * The number of concurrent calls of a task. Immutable.
 *
 * @param least the initial number, at least 1
 * @param most the maximum; equal to the initial number if the number is fixed
 */
public record Concurrency(int least, int most) {
    /** Checks the values. */
    public Concurrency {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException("Cannot make " + least + " to " + most
                    + " calls at a time. Give 1 or more, and a highest number that is not below the lowest.");
        }
    }

    /** A fixed number. */
    public static Concurrency fixed(int calls) {
        return new Concurrency(calls, calls);
    }

    /** Whether the number adapts to the service. */
    public boolean isAdaptive() {
        return least < most;
    }

    /** Parses "16" or "8..1024". */
    public static Concurrency parse(String text) {
        int dots = text.indexOf("..");
        return dots < 0
                ? fixed(Integer.parseInt(text))
                : new Concurrency(
                        Integer.parseInt(text.substring(0, dots).strip()),
                        Integer.parseInt(text.substring(dots + 2).strip()));
    }

    @Override
    public String toString() {
        return isAdaptive() ? least + ".." + most : String.valueOf(most);
    }
}
