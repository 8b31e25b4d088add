package dev.blobshuffle.s3;

import java.time.Instant;
import java.util.Optional;

/**
 * The answer to a read.
 *
 * @param bytes starts with the received bytes
 * @param length number of received bytes
 * @param contentRange the header Content-Range; empty if the whole object was sent
 * @param etag the header ETag; empty if the store sent none
 * @param modified the header Last-Modified; empty if the store sent none
 */
record ReadPart(
        byte[] bytes, int length, Optional<String> contentRange, Optional<String> etag, Optional<Instant> modified) {
    /** No bytes, because the object ends before the part. */
    static final ReadPart NONE = new ReadPart(new byte[0], 0, Optional.empty(), Optional.empty(), Optional.empty());

    /** The offset of the part in the object; 0 if the whole object was sent. */
    long offset() {
        return contentRange.map(range -> number(range, "bytes ", "-")).orElse(0L);
    }

    private static long number(String range, String before, String after) {
        int from = range.startsWith(before) ? before.length() : 0;
        int to = range.indexOf(after, from);
        try {
            return Long.parseLong(range.substring(from, Math.max(from, to)));
        } catch (NumberFormatException e) {
            return -1; // An offset that never matches.
        }
    }
}
