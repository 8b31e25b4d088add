package dev.blobshuffle.core.store;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a blob, unique for ever. The blob's key in every store derives from the id alone.
 *
 * <p>The formats store owner and writer together in eight bytes ({@link #ownerAndWriter()}).
 *
 * @param owner the blob's owner, and the only one to delete it; {@link #NO_OWNER} for blobs of
 *     stores without registers, and of versions before owners
 * @param generation the minute in which the blob was sealed, counted from the Unix epoch: the unit
 *     of retention
 * @param writer a random number that the writing Batcher draws at every start; {@link #WRITER_BITS}
 *     bits if the blob has an owner
 * @param sequence the writer's own count of blobs, from 0
 */
public record BlobId(int owner, long generation, long writer, long sequence) implements Comparable<BlobId> {
    /** Milliseconds of one generation. */
    public static final long MILLIS_PER_GENERATION = 60_000;

    /** The owner of blobs that have none. */
    public static final int NO_OWNER = 0;

    /** The highest owner: it has 24 bits. */
    public static final int MOST_OWNERS = (1 << 24) - 1;

    /** The number of bits of a writer's number. */
    public static final int WRITER_BITS = 40;

    private static final Pattern TEXT =
            Pattern.compile("(?:([0-9a-f]{6})-)?([0-9]{1,19})-([0-9a-f]{10}|[0-9a-f]{16})-([0-9]{1,19})");

    /** Checks that no number is negative or too high. */
    public BlobId {
        if (generation < 0 || sequence < 0) {
            throw new IllegalArgumentException("Cannot name a blob: generation " + generation + ", sequence " + sequence
                    + " must not be negative.");
        }
        if (owner < NO_OWNER || owner > MOST_OWNERS || (owner != NO_OWNER && writer >>> WRITER_BITS != 0)) {
            throw new IllegalArgumentException("Cannot name a blob: owner " + owner + " must have up to 24 bits, and"
                    + " writer " + HexFormat.of().toHexDigits(writer) + " up to " + WRITER_BITS + ".");
        }
    }

    /** The id of a blob without an owner. */
    public BlobId(long generation, long writer, long sequence) {
        this(NO_OWNER, generation, writer, sequence);
    }

    /**
     * The id of a blob that has an owner, from the fields of the formats.
     *
     * @param ownerAndWriter the owner in the highest 24 bits, the writer in the others
     * @throws IllegalArgumentException the owner is {@link #NO_OWNER}, or a number is negative
     */
    public static BlobId owned(long generation, long ownerAndWriter, long sequence) {
        int owner = (int) (ownerAndWriter >>> WRITER_BITS);
        if (owner == NO_OWNER) {
            throw new IllegalArgumentException("Cannot name a blob: it has no owner.");
        }
        return new BlobId(owner, generation, writer(ownerAndWriter), sequence);
    }

    /** The number of a writer, from a random number. */
    public static long writer(long random) {
        return random & (1L << WRITER_BITS) - 1;
    }

    /** Owner and writer as the formats store them; the writer alone if the blob has no owner. */
    public long ownerAndWriter() {
        return (long) owner << WRITER_BITS | writer;
    }

    @Override
    public int compareTo(BlobId other) {
        int byOwner = Integer.compare(owner, other.owner);
        if (byOwner != 0) {
            return byOwner;
        }
        int byGeneration = Long.compare(generation, other.generation);
        if (byGeneration != 0) {
            return byGeneration;
        }
        int byWriter = Long.compareUnsigned(writer, other.writer);
        return byWriter != 0 ? byWriter : Long.compare(sequence, other.sequence);
    }

    /**
     * The id as logs and commands show it: {@code owner-generation-writer-sequence}, with the owner
     * in 6 and the writer in 10 hexadecimal digits. Without an owner it is {@code
     * generation-writer-sequence}, with the writer in 16 digits.
     */
    @Override
    public String toString() {
        return (owner == NO_OWNER ? "" : hex(owner) + "-") + generation + "-" + writerDigits() + "-" + sequence;
    }

    /** An owner as logs, keys and registers show it: six hexadecimal digits. */
    public static String hex(int owner) {
        return HexFormat.of().toHexDigits(owner, 6);
    }

    /** The writer as it appears in keys. */
    String writerDigits() {
        return owner == NO_OWNER
                ? HexFormat.of().toHexDigits(writer)
                : HexFormat.of().toHexDigits(writer, WRITER_BITS / 4);
    }

    /** The id that {@link #toString()} shows; empty for any other text. */
    public static Optional<BlobId> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            String owner = matcher.group(1);
            BlobId id = new BlobId(
                    owner == null ? NO_OWNER : Integer.parseInt(owner, 16),
                    Long.parseLong(matcher.group(2)),
                    Long.parseUnsignedLong(matcher.group(3), 16),
                    Long.parseLong(matcher.group(4)));
            return id.toString().equals(text) ? Optional.of(id) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // Beyond a long, or beyond the bits of a writer.
        }
    }
}
