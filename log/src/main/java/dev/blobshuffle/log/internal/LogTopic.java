package dev.blobshuffle.log.internal;

/**
 * A topic.
 *
 * @param number its number in the log; never reused
 * @param name its name, unique among existing topics
 * @param partitions its number of partitions, 1 to {@link #MAX_PARTITIONS}
 * @param retention how long it keeps batches
 */
public record LogTopic(int number, String name, int partitions, RetentionRule retention) {
    /** The most partitions of a topic. */
    public static final int MAX_PARTITIONS = 100_000;

    /** Checks name and partitions. */
    public LogTopic {
        if (name.isBlank() || partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException("Cannot describe a topic: name '" + name + "', " + partitions
                    + " partitions. Use 1 to " + MAX_PARTITIONS + " partitions, and a name.");
        }
    }
}
