package dev.blobshuffle.core.store;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The key of a blob in a store, which derives from its id alone: {@code docs/format.md}, "Key". The
 * same string is a relative path in a file store and, after the prefix, a key in an object store.
 * It consists of digits, {@code a} to {@code f}, {@code -}, {@code /} and {@code .blob}. Stateless.
 */
public final class BlobKey {
    /**
     * The number of shards, the directories below an owner. Object stores spread their load by key
     * prefix.
     */
    public static final int SHARDS = 64;

    /** The prefix of the keys of all blobs, and of no other keys. Lifecycle rules select by it. */
    public static final String ROOT = "blobs/";

    /** The fewest digits of a generation. */
    private static final int DIGITS = 10;

    private static final Pattern KEY =
            Pattern.compile("blobs/(?:([0-9a-f]{6})/)?[0-3][0-9a-f]/([0-9]{10,19})/([0-9a-f]+)-([0-9]{1,19})\\.blob");
    private static final Pattern GENERATION = Pattern.compile("blobs/(?:[0-9a-f]{6}/)?[0-3][0-9a-f]/([0-9]{10,19})/");
    private static final Pattern OWNER = Pattern.compile("blobs/([0-9a-f]{6})/");

    private BlobKey() {}

    /** The key of a blob. */
    public static String of(BlobId id) {
        return generation(id.owner(), shard(id), id.generation()) + id.writerDigits() + "-" + id.sequence() + ".blob";
    }

    /**
     * The prefix of the keys of all blobs of an owner's generation in one shard, with its trailing
     * slash.
     */
    public static String generation(int owner, int shard, long generation) {
        return shard(owner, shard) + digits(generation) + "/";
    }

    /**
     * A prefix of the keys of all blobs of some generations of an owner in one shard. Keys of other
     * generations may have it too.
     */
    public static String span(int owner, int shard, GenerationSpan generations) {
        return shard(owner, shard) + generations.text();
    }

    /** The prefix of the keys of all blobs of an owner in one shard, with its trailing slash. */
    public static String shard(int owner, int shard) {
        if (shard < 0 || shard >= SHARDS) {
            throw new IllegalArgumentException(
                    "Cannot name a shard: " + shard + " is not one of 0 to " + (SHARDS - 1) + ".");
        }
        return owner(owner) + HexFormat.of().toHexDigits((byte) shard) + "/";
    }

    /** The prefix of the keys of all blobs of an owner, with its trailing slash. */
    public static String owner(int owner) {
        return owner == BlobId.NO_OWNER ? ROOT : ROOT + BlobId.hex(owner) + "/";
    }

    /**
     * The owner that a {@link #owner prefix} belongs to. The prefix of a shard of {@link
     * BlobId#NO_OWNER} is accepted too; empty for any other text.
     */
    public static OptionalInt parseOwner(String prefix) {
        Matcher matcher = OWNER.matcher(prefix);
        if (matcher.matches()) {
            int owner = Integer.parseInt(matcher.group(1), 16);
            return owner == BlobId.NO_OWNER ? OptionalInt.empty() : OptionalInt.of(owner);
        }
        boolean isShard = IntStream.range(0, SHARDS).anyMatch(shard -> prefix.equals(shard(BlobId.NO_OWNER, shard)));
        return isShard ? OptionalInt.of(BlobId.NO_OWNER) : OptionalInt.empty();
    }

    /**
     * A generation in at least ten digits. It is formatted by hand, because every request calls
     * this.
     */
    private static String digits(long generation) {
        String digits = Long.toString(generation);
        return digits.length() < DIGITS ? "0".repeat(DIGITS - digits.length()) + digits : digits;
    }

    /**
     * The generation that a {@link #generation(int, int, long) prefix} belongs to; empty for any
     * other text.
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

    /** The prefixes of the keys of all blobs of an owner's generation, one per shard. */
    public static List<String> generation(int owner, long generation) {
        return IntStream.range(0, SHARDS)
                .mapToObj(shard -> generation(owner, shard, generation))
                .toList();
    }

    /** The shard of a blob, 0 to 63. Consecutive blobs of a writer go to different shards. */
    public static int shard(BlobId id) {
        return (int) ((id.writer() ^ id.sequence()) * 0x9E37_79B9_7F4A_7C15L >>> 58);
    }

    /** The id that a key stands for; empty for any text that {@link #of} does not produce. */
    public static Optional<BlobId> parse(String key) {
        Matcher matcher = KEY.matcher(key);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            String owner = matcher.group(1);
            BlobId id = new BlobId(
                    owner == null ? BlobId.NO_OWNER : Integer.parseInt(owner, 16),
                    Long.parseLong(matcher.group(2)),
                    Long.parseUnsignedLong(matcher.group(3), 16),
                    Long.parseLong(matcher.group(4)));
            return of(id).equals(key) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // Beyond a long, or beyond the bits of a writer.
        }
    }
}
