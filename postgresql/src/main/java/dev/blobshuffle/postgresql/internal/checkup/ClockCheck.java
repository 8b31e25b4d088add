package dev.blobshuffle.postgresql.internal.checkup;

import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;

/**
 * Compares this machine's clock with the database's. A blob's age counts from the minute in its
 * writer's clock. If a writer's clock is behind, its blobs are too old when they are published.
 */
final class ClockCheck implements Check {
    private static final String SUBJECT = "clock";
    private static final int SAMPLES = 3;

    /** With a difference up to this, blobs keep most of their time. */
    private static final Duration TOLERATED = Duration.ofSeconds(30);

    /** A log's default limit. Minutes are counted, so one minute less. */
    private static final Duration TOO_OLD = Duration.ofMinutes(2);

    private final Time time;

    ClockCheck(Time time) {
        this.time = time;
    }

    @Override
    public String subject() {
        return SUBJECT;
    }

    @Override
    public List<StoreFinding> run(Connection database) throws SQLException {
        long shortest = Long.MAX_VALUE;
        Duration ahead = Duration.ZERO;
        for (int i = 0; i < SAMPLES; i++) {
            long start = time.nanos();
            long before = time.wallMillis();
            long theirs = Row.first(
                            database, "select pg_catalog.clock_timestamp()", row -> row.getObject(1, Timestamp.class))
                    .orElseThrow()
                    .getTime();
            long middle = (before + time.wallMillis()) / 2;
            long took = time.nanos() - start;
            if (took < shortest) {
                shortest = took;
                ahead = Duration.ofMillis(theirs - middle);
            }
        }
        return List.of(finding(ahead));
    }

    /**
     * The finding for a difference.
     *
     * @param ahead how far the database's clock is ahead of this machine's
     */
    static StoreFinding finding(Duration ahead) {
        Duration apart = ahead.abs();
        String what = "the database's clock is "
                + (apart.toSeconds() < 1
                        ? "that of this machine"
                        : apart.toSeconds() + " s " + (ahead.isNegative() ? "behind" : "ahead of") + " this machine's");
        String remedy = "Synchronize the clocks (NTP), first of all this machine's.";
        if (apart.compareTo(TOLERATED) <= 0) {
            return StoreFinding.ok(SUBJECT, what);
        }
        if (ahead.isNegative()) {
            return StoreFinding.warning(SUBJECT, what + ": unneeded blobs are deleted later", remedy);
        }
        return ahead.compareTo(TOO_OLD) >= 0
                ? StoreFinding.error(SUBJECT, what + ": the log refuses this machine's blobs as too old", remedy)
                : StoreFinding.warning(SUBJECT, what + ": publishes have that much less time", remedy);
    }
}
