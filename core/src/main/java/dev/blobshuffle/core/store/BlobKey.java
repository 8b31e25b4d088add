package dev.blobshuffle.core.store;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The key of a blob in a store, which derives from its id alone: {@code docs/format.md}, "Key". The
 * same string is a relative path of a file store and, after the prefix, a key of an object store;
 * it holds digits, {@code a} to {@code f}, {@code -}, {@code /} and {@code .blob} only. Stateless.
 */
public final class BlobKey {
    /**
     * The number of different parts after the root: object stores spread their load by key prefix.
     */
    public static final int SHARDS = 64;

    /** What all keys of blobs begin with, and nothing else: lifecycle rules go by it. */
    public static final String ROOT = "blobs/";

    /** The least digits of a generation. */
    private static final int DIGITS = 10;

    private static final Pattern KEY =
            Pattern.compile("blobs/([0-3][0-9a-f])/([0-9]{10,19})/([0-9a-f]{16})-([0-9]{1,19})\\.blob");
    private static final Pattern GENERATION = Pattern.compile("blobs/[0-3][0-9a-f]/([0-9]{10,19})/");

    private BlobKey() {}

    /** The key of a blob. */
    public static String of(BlobId id) {
        return generation(shard(id), id.generation())
                + HexFormat.of().toHexDigits(id.writer())
                + "-"
                + id.sequence()
                + ".blob";
    }

    /**
     * The start of the keys of all blobs of a generation in one shard, with the slash at its end.
     */
    public static String generation(int shard, long generation) {
        return shard(shard) + digits(generation) + "/";
    }

    /**
     * What the keys of all blobs of some generations in one shard begin with; keys of others may
     * begin so too.
     */
    public static String span(int shard, GenerationSpan generations) {
        return shard(shard) + generations.text();
    }

    /** The start of the keys of all blobs of one shard, with the slash at its end. */
    public static String shard(int shard) {
        if (shard < 0 || shard >= SHARDS) {
            throw new IllegalArgumentException(
                    "Cannot name a shard: " + shard + " is not one of 0 to " + (SHARDS - 1) + ".");
        }
        return ROOT + HexFormat.of().toHexDigits((byte) shard) + "/";
    }

    /**
     * A generation in ten digits, or more where it has more. Written out, for it is called with
     * every request.
     */
    private static String digits(long generation) {
        String digits = Long.toString(generation);
        return digits.length() < DIGITS ? "0".repeat(DIGITS - digits.length()) + digits : digits;
    }

    /**
     * The generation of a {@link #generation(int, long) start of keys}; empty for anything else.
     */
    public static OptionalLong parseGeneration(String prefix) {
        Matcher matcher = GENERATION.matcher(prefix);
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        try {
            long generation = Long.parseLong(matcher.group(1));
            return prefix.endsWith("/" + digits(generation) + "/") ? OptionalLong.of(generation) : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // Beyond a long.
        }
    }

    /** The starts of the keys of all blobs of a generation, one per shard. */
    public static List<String> generation(long generation) {
        return IntStream.range(0, SHARDS)
                .mapToObj(shard -> generation(shard, generation))
                .toList();
    }

    /** The shard of a blob, 0 to 63: consecutive blobs of a writer are spread. */
    public static int shard(BlobId id) {
        return (int) ((id.writer() ^ id.sequence()) * 0x9E37_79B9_7F4A_7C15L >>> 58);
    }

    /** The id that a key stands for; empty for anything that {@link #of} does not make. */
    public static Optional<BlobId> parse(String key) {
        Matcher matcher = KEY.matcher(key);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            BlobId id = new BlobId(
                    Long.parseLong(matcher.group(2)),
                    Long.parseUnsignedLong(matcher.group(3), 16),
                    Long.parseLong(matcher.group(4)));
            return of(id).equals(key) ? Optional.of(id) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty(); // Beyond a long.
        }
    }
}
