package dev.blobshuffle.spark.internal.directory;

import java.util.Arrays;

/**
 * The requests of a part of the application to the store so far.
 *
 * @param puts requests that write a blob
 * @param gets requests that read parts of blobs
 * @param others requests that list, look, or delete
 * @param microdollars what they cost by the store's list prices, in millionths of a US dollar; 0 if
 *     the store has none
 * @param acrossNatively bytes of blocks that readers in another zone than the writer's got, from
 *     wherever; Spark alone would have sent them between zones
 * @param across those of them that were sent between zones
 */
public record Usage(long puts, long gets, long others, long microdollars, long acrossNatively, long across) {
    /** Nothing. */
    public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0);

    /** All requests. */
    public long requests() {
        return puts + gets + others;
    }

    /** Both together. */
    public Usage plus(Usage other) {
        return new Usage(
                puts + other.puts,
                gets + other.gets,
                others + other.others,
                microdollars + other.microdollars,
                acrossNatively + other.acrossNatively,
                across + other.across);
    }

    /** The same requests, with what readers got. */
    public Usage reading(long natively, long between) {
        return new Usage(puts, gets, others, microdollars, natively, between);
    }

    /** The words that {@link #parse} reads. */
    String text() {
        return puts + " " + gets + " " + others + " " + microdollars + " " + acrossNatively + " " + across;
    }

    /** Parses {@link #text}. */
    static Usage parse(String text) {
        long[] numbers =
                Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
        return new Usage(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    }
}
