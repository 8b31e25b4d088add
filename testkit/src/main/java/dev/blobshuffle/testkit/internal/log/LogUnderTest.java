package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTransaction;
import java.time.Duration;
import java.util.List;

/** An empty commit log that a contract test may do anything to. */
public interface LogUnderTest extends AutoCloseable {
    /** Another client of the log, as another process has. The test closes it. */
    CommitLog connect();

    /** Sets the log's clock forward, or back by a negative span. */
    void shiftClock(Duration span);

    /** Inserts a row into a table of the test by the connection of a transaction. */
    void insert(LogTransaction transaction, String row);

    /** The committed rows of that table. */
    List<String> rows();

    /** Whether clients of the log get hints of new batches. */
    default boolean hasHints() {
        return true;
    }

    /** Deletes the log. */
    @Override
    void close();
}
