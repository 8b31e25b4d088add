package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogTransaction;
import java.time.Duration;
import java.util.List;

/** A log in memory, in real time. */
final class MemoryUnderTest implements LogUnderTest {
    private final SystemTime time = new SystemTime();
    private final MemoryDatabase database = new MemoryDatabase(time);

    @Override
    public CommitLog connect() {
        return new MemoryLog(database, time);
    }

    @Override
    public void shiftClock(Duration span) {
        database.shiftClock(span);
    }

    @Override
    public void insert(LogTransaction transaction, String row) {
        transaction.unwrap(UserTable.class).insert(row);
    }

    @Override
    public List<String> rows() {
        return database.rows();
    }

    @Override
    public void close() {
        time.close();
    }
}
