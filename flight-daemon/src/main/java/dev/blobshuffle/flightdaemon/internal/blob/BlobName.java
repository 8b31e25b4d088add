package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.store.BlobId;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a map's blob in the directory of its shuffle: {@code docs/guides/python.md},
 * "Layout".
 *
 * @param map index of the map
 * @param attempt number of the attempt
 * @param id of the blob
 */
public record BlobName(long map, long attempt, BlobId id) implements Comparable<BlobName> {
    /** An id that sorts before all others. */
    static final BlobId FIRST = new BlobId(0, 0, 0);

    /** An id that sorts after all others. */
    static final BlobId LAST = new BlobId(Long.MAX_VALUE, -1L, Long.MAX_VALUE);

    private static final String NUMBER = "(0|[1-9][0-9]{0,17})";
    private static final Pattern NAME =
            Pattern.compile("m" + NUMBER + "-a" + NUMBER + "-" + NUMBER + "-([0-9a-f]{16})-" + NUMBER + "\\.blob");
    private static final Pattern SHUFFLE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");

    /** Parses a file's name; empty if it is not the name of a committed blob. */
    static Optional<BlobName> parse(String file) {
        Matcher matcher = NAME.matcher(file);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        BlobId id = new BlobId(
                Long.parseLong(matcher.group(3)),
                Long.parseUnsignedLong(matcher.group(4), 16),
                Long.parseLong(matcher.group(5)));
        return Optional.of(new BlobName(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)), id));
    }

    /** Whether a text is a legal name of a shuffle or a namespace. */
    public static boolean isShuffle(String text) {
        return SHUFFLE.matcher(text).matches();
    }

    /** The file's name. */
    public String file() {
        return "m" + map + "-a" + attempt + "-" + id + ".blob";
    }

    /** Orders lower attempts first, then older blobs. Readers use the first of several. */
    @Override
    public int compareTo(BlobName other) {
        int byMap = Long.compare(map, other.map);
        int byAttempt = Long.compare(attempt, other.attempt);
        return byMap != 0 ? byMap : byAttempt != 0 ? byAttempt : id.compareTo(other.id);
    }
}
