package dev.blobshuffle.core.store;

import java.util.HexFormat;

/**
 * The identity of a blob, unique for ever. Its key in every store derives from it alone.
 *
 * @param generation the minute in which the blob was sealed, counted from the Unix epoch: the unit
 *     of retention
 * @param writer a random number of the writing Batcher, new at every start
 * @param sequence the writer's own count of blobs, from 0
 */
public record BlobId(long generation, long writer, long sequence) implements Comparable<BlobId> {
    /** Milliseconds of one generation. */
    public static final long MILLIS_PER_GENERATION = 60_000;

    /** Checks that generation and sequence are not negative. */
    public BlobId {
        if (generation < 0 || sequence < 0) {
            throw new IllegalArgumentException("Cannot name a blob: generation " + generation + ", sequence " + sequence
                    + " must not be negative.");
        }
    }

    @Override
    public int compareTo(BlobId other) {
        int byGeneration = Long.compare(generation, other.generation);
        if (byGeneration != 0) {
            return byGeneration;
        }
        int byWriter = Long.compareUnsigned(writer, other.writer);
        return byWriter != 0 ? byWriter : Long.compare(sequence, other.sequence);
    }

    /**
     * The id as people and logs see it: {@code generation-writer-sequence}, the writer in 16
     * hexadecimal digits.
     */
    @Override
    public String toString() {
        return generation + "-" + HexFormat.of().toHexDigits(writer) + "-" + sequence;
    }
}
