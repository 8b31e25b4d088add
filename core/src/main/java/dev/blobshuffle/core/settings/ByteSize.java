package dev.blobshuffle.core.settings;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes. Its text is the number, {@code 16777216}, or a number with a binary unit,
 * {@code 16 MiB}.
 *
 * @param bytes 0 or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18}) ?(B|KiB|MiB|GiB)?", Pattern.CASE_INSENSITIVE);

    /** Checks that the number is not negative. */
    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("Cannot form a size: " + bytes + " bytes. Give 0 or more.");
        }
    }

    /** A size in mebibytes (1,048,576 bytes). */
    public static ByteSize ofMebibytes(long mebibytes) {
        return new ByteSize(Math.multiplyExact(mebibytes, 1L << 20));
    }

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException if the text is not a size
     */
    public static ByteSize parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "Cannot read '" + text + "' as a size. Give bytes, or a number with B, KiB, MiB or GiB.");
        }
        String unit = matcher.group(2) == null ? "b" : matcher.group(2).toLowerCase(Locale.ROOT);
        int shift = 10 * "bkmg".indexOf(unit.charAt(0));
        try {
            return new ByteSize(Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "Cannot read '" + text + "' as a size: it is beyond 8 EiB. Give less.", e);
        }
    }

    @Override
    public int compareTo(ByteSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** The size in the largest unit that gives a whole number. */
    @Override
    public String toString() {
        if (bytes == 0) {
            return "0";
        }
        int unit = Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
        return unit == 0 ? String.valueOf(bytes) : (bytes >> 10 * unit) + " " + "KMG".charAt(unit - 1) + "iB";
    }
}
