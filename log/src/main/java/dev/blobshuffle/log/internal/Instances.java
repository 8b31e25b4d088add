package dev.blobshuffle.log.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The directory in which the instances of a log announce themselves to each other. An announcement
 * is valid for a limited time by the log's clock. Thread-safe.
 */
public interface Instances {
    /** The most characters of an announcement. */
    int MAX_TEXT = 2000;

    /**
     * Announces an instance, or renews its announcement, and reads the announcements of all
     * instances.
     *
     * @param id of the instance
     * @param text its message to others, 1 to {@link #MAX_TEXT} characters
     * @param validFor how long the announcement is valid
     * @return the valid announcements, including this one
     */
    CompletionStage<List<Announcement>> announce(long id, String text, Duration validFor);

    /** The valid announcements. */
    CompletionStage<List<Announcement>> find();

    /** Withdraws an announcement. */
    CompletionStage<Void> withdraw(long id);

    /**
     * An announcement of an instance.
     *
     * @param id of the instance
     * @param text its message to others
     */
    record Announcement(long id, String text) {}
}
