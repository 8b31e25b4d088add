package dev.blobshuffle.bench.log;

import java.util.Locale;
import java.util.function.Supplier;

/** The way in which a log in a database orders commits. */
public enum LogDesign {
    /** Module {@code postgresql}: commits are staged, and sequenced afterwards. */
    STAGED("staged", StagedLog::new),
    /** A row per topic has the next sequence, and is locked until the commit. */
    TOPIC_LOCK("lock per topic", TopicLockLog::new),
    /**
     * A row per partition has the next offset; a commit locks and changes all of its partitions.
     */
    PARTITION_ROWS("row per partition", PartitionRowsLog::new);

    private final String title;
    private final Supplier<MeasuredLog> log;

    LogDesign(String title, Supplier<MeasuredLog> log) {
        this.title = title;
        this.log = log;
    }

    /** The name in output. */
    String title() {
        return title;
    }

    /** The name in JSON. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    MeasuredLog log() {
        return log.get();
    }
}
