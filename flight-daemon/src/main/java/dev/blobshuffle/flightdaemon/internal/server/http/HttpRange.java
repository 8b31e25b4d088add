package dev.blobshuffle.flightdaemon.internal.server.http;

import org.jspecify.annotations.Nullable;

/**
 * The requested bytes of a blob whose length is known (RFC 9110, section 14).
 *
 * @param first offset of the first byte
 * @param end offset after the last byte
 * @param isPartial whether the request has a range
 */
record HttpRange(long first, long end, boolean isPartial) {
    private static final String BYTES = "bytes=";
    private static final int MOST_DIGITS = 18;

    /** Thrown if the header {@code Range} requests no bytes of the blob, or several ranges. */
    static final class Unsatisfiable extends Exception {
        private static final long serialVersionUID = 1L;

        Unsatisfiable(String message) {
            super(message);
        }
    }

    /** All bytes. */
    static HttpRange whole(long length) {
        return new HttpRange(0, length, false);
    }

    long length() {
        return end - first;
    }

    /**
     * Parses the header.
     *
     * @param header one range; null or another unit: all bytes
     * @throws Unsatisfiable the blob has no such bytes, or the header is malformed
     */
    static HttpRange parse(@Nullable String header, long length) throws Unsatisfiable {
        if (header == null || !header.startsWith(BYTES)) {
            return whole(length);
        }
        String range = header.substring(BYTES.length()).trim();
        int dash = range.indexOf('-');
        String from = dash < 0 ? range : range.substring(0, dash);
        String to = dash < 0 ? "" : range.substring(dash + 1);
        if (dash < 0 || !isNumber(from) || !isNumber(to) || range.length() == 1) {
            throw new Unsatisfiable(
                    "the header Range is not one range, bytes=FIRST-LAST, bytes=FIRST- or bytes=-COUNT");
        }
        long first = from.isEmpty() ? length - Math.min(length, number(to)) : number(from);
        long last = from.isEmpty() || to.isEmpty() ? Long.MAX_VALUE : number(to);
        if (first >= length || last < first) {
            throw new Unsatisfiable("the header Range names no byte of the " + length + " that it has");
        }
        return new HttpRange(first, Math.min(last, length - 1) + 1, true);
    }

    private static boolean isNumber(String text) {
        return text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** Parses a number. One that is too long becomes the largest possible. */
    private static long number(String digits) {
        return digits.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}
