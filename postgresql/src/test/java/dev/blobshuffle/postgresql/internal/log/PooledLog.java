package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTransaction;
import dev.blobshuffle.postgresql.internal.connection.DatabaseTimeouts;
import dev.blobshuffle.testkit.internal.log.LogUnderTest;
import java.time.Duration;
import java.util.List;

/** A log whose clients reach it through a PgBouncer in transaction mode. */
final class PooledLog implements LogUnderTest {
    private final TestLog log;
    private final PgBouncer pooler;

    PooledLog() {
        PgBouncer.assumeInstalled();
        log = new TestLog();
        pooler = new PgBouncer(log.server().port(), log.name(), log.password());
    }

    @Override
    public CommitLog connect() {
        return log.connect(log.uri(pooler.port()) + "&pooler=transaction", DatabaseTimeouts.DEFAULT);
    }

    /** A client that mistakes the pooler for a server. */
    CommitLog connectUnaware() {
        return log.connect(log.uri(pooler.port()), DatabaseTimeouts.DEFAULT);
    }

    @Override
    public void shiftClock(Duration span) {
        log.shiftClock(span);
    }

    @Override
    public void insert(LogTransaction transaction, String row) {
        log.insert(transaction, row);
    }

    @Override
    public List<String> rows() {
        return log.rows();
    }

    /** Listening needs a session of its own, which the pooler does not provide. */
    @Override
    public boolean hasHints() {
        return false;
    }

    @Override
    public void close() {
        pooler.close();
        log.close();
    }
}
