package dev.blobshuffle.testkit.internal.log;

import java.time.Duration;

/**
 * The limits of a {@link MemoryDatabase}. A simulation makes them small, so that it reaches them.
 *
 * @param maxAgeMinutes a blob may be committed for so many minutes after its own
 * @param slackMinutes a sweeper waits so many minutes longer, because the clock may go back
 * @param sequencingLimit the most batches that one call sequences
 * @param trimLimit the most batches that one call removes
 * @param rowTime how long the database needs to sequence a batch
 * @param statementTimeout after which the database cancels a call
 * @param callTimeout after which a client gives up a call
 */
public record LogOptions(
        int maxAgeMinutes,
        int slackMinutes,
        int sequencingLimit,
        int trimLimit,
        Duration rowTime,
        Duration statementTimeout,
        Duration callTimeout) {
    /** The limits of the log in PostgreSQL. */
    public static final LogOptions DEFAULTS =
            new LogOptions(3, 5, 5_000, 1_000, Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(10));
}
