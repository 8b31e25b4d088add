package dev.blobshuffle.spark.internal.directory;

/**
 * What a part of the application has asked of the store so far.
 *
 * @param puts requests that write a blob
 * @param gets requests that read parts of blobs
 * @param others requests that list, look, or delete
 * @param microdollars what they cost by the store's list prices, in millionths of a US dollar; 0 if
 *     the store has none
 */
public record Usage(long puts, long gets, long others, long microdollars) {
    /** Nothing. */
    public static final Usage NONE = new Usage(0, 0, 0, 0);

    /** All requests. */
    public long requests() {
        return puts + gets + others;
    }

    /** Both together. */
    public Usage plus(Usage other) {
        return new Usage(
                puts + other.puts, gets + other.gets, others + other.others, microdollars + other.microdollars);
    }

    /** The words that {@link #parse} reads. */
    String text() {
        return puts + " " + gets + " " + others + " " + microdollars;
    }

    /** What {@link #text} made. */
    static Usage parse(String text) {
        String[] words = text.split(" ", -1);
        return new Usage(
                Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }
}
