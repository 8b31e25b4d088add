package dev.blobshuffle.log.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where the instances of a log announce themselves to each other. An announcement is valid for a
 * time by the log's clock. Thread-safe.
 */
public interface Instances {
    /** The most characters of an announcement. */
    int MAX_TEXT = 2000;

    /**
     * Announces an instance, or repeats its announcement, and reads those of all.
     *
     * @param id of the instance
     * @param text what it says to others, 1 to {@link #MAX_TEXT} characters
     * @param validFor how long others believe it
     * @return the valid announcements, this one included
     */
    CompletionStage<List<Announcement>> announce(long id, String text, Duration validFor);

    /** The valid announcements. */
    CompletionStage<List<Announcement>> find();

    /** Withdraws an announcement. */
    CompletionStage<Void> withdraw(long id);

    /**
     * What an instance says to others.
     *
     * @param id of the instance
     * @param text what it says
     */
    record Announcement(long id, String text) {}
}
