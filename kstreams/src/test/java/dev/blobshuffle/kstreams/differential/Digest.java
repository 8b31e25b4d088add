package dev.blobshuffle.kstreams.differential;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A value that depends on every record of a key, and on the order of the records of one origin, but
 * not on how the origins interleave: exactly what a shuffle must keep. Its text is
 * {@code origin:hash,origin:hash,…}.
 */
public final class Digest {
    /** The digest without records. */
    public static final String EMPTY = "";

    private Digest() {}

    /** The digest with another record of an origin. */
    public static String plus(String digest, String origin, String sequence) {
        Map<String, String> hashes = new TreeMap<>();
        for (String part : digest.isEmpty() ? new String[0] : digest.split(",")) {
            hashes.put(part.substring(0, part.indexOf(':')), part.substring(part.indexOf(':') + 1));
        }
        hashes.merge(origin, next("17", sequence), (before, first) -> next(before, sequence));
        return hashes.entrySet().stream()
                .map(e -> e.getKey() + ":" + e.getValue())
                .collect(Collectors.joining(","));
    }

    private static String next(@Nullable String hash, String sequence) {
        return Long.toString(Long.parseLong(hash) * 31 + sequence.hashCode(), 10);
    }
}
