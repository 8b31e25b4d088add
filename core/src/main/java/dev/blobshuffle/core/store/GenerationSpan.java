package dev.blobshuffle.core.store;

import java.util.Locale;

/**
 * Generations side by side that share the leading digits of their keys, so that one request lists
 * them: one, ten or a hundred of them. Immutable.
 *
 * @param first the first, whose last digits are 0
 * @param digits number of digits in which they differ, 0 to {@link #MOST_DIGITS}
 */
public record GenerationSpan(long first, int digits) {
    /** A hundred minutes: what a busy store has in them still fits in memory. */
    public static final int MOST_DIGITS = 2;

    /** Checks that they share all other digits. */
    public GenerationSpan {
        if (digits < 0 || digits > MOST_DIGITS || first < 0 || first % size(digits) != 0) {
            throw new IllegalArgumentException(
                    "Cannot span generations from " + first + " that differ in " + digits + " digits.");
        }
    }

    /** The span of so many digits that a generation is in. */
    public static GenerationSpan around(long generation, int digits) {
        return new GenerationSpan(generation - generation % size(digits), digits);
    }

    private static long size(int digits) {
        long size = 1;
        for (int i = 0; i < digits; i++) {
            size *= 10;
        }
        return size;
    }

    /** The last generation. */
    public long last() {
        return first + (size(digits) - 1);
    }

    /** Whether a generation is one of them. */
    public boolean contains(long generation) {
        return generation >= first && generation <= last();
    }

    /** What the names of the generations begin with in keys. */
    String text() {
        String name = String.format(Locale.ROOT, "%010d", first);
        return name.substring(0, name.length() - digits);
    }
}
