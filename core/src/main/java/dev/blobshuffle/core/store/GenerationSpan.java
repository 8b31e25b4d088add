package dev.blobshuffle.core.store;

import java.util.Locale;

/**
 * One, ten or a hundred consecutive generations whose keys share their leading digits, so that one
 * request lists them all. Immutable.
 *
 * @param first the first, whose last digits are 0
 * @param digits number of digits in which they differ, 0 to {@link #MOST_DIGITS}
 */
public record GenerationSpan(long first, int digits) {
    /** A hundred minutes: the listing of a busy store's blobs still fits in memory. */
    public static final int MOST_DIGITS = 2;

    /** Checks that they share all other digits. */
    public GenerationSpan {
        if (digits < 0 || digits > MOST_DIGITS || first < 0 || first % size(digits) != 0) {
            throw new IllegalArgumentException(
                    "Cannot span generations from " + first + " that differ in " + digits + " digits.");
        }
    }

    /** The span of a number of digits that contains a generation. */
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

    /** The common prefix of the generations' digits in keys. */
    String text() {
        String name = String.format(Locale.ROOT, "%010d", first);
        return name.substring(0, name.length() - digits);
    }
}
