package dev.blobshuffle.testkit.internal.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of a database in memory: its locks, and its changes, which are invisible to others
 * until it commits. Guarded by the database.
 */
final class Session {
    private final MemoryDatabase database;
    private final List<Consumer<LogTables>> changes = new ArrayList<>();
    private final List<Runnable> afterCommit = new ArrayList<>();
    private @Nullable Runnable onAbort;
    private boolean isWaiting;
    private boolean isHandedOver;
    private boolean isEnded;

    Session(MemoryDatabase database) {
        this.database = database;
    }

    /** Sets the action to run if the database ends the session. */
    void onAbort(Runnable action) {
        onAbort = action;
    }

    /** Adds a change, which takes effect at the commit. */
    void change(Consumer<LogTables> change) {
        changes.add(change);
    }

    /** Runs something right after the commit. */
    void afterCommit(Runnable action) {
        afterCommit.add(action);
    }

    /** Goes on after the database stood still for a while, as its plan says. */
    void step(LogCall call, Runnable next) {
        pause(database.stall(call), next);
    }

    /** Goes on after a while, unless the session has ended by then. */
    void pause(Duration span, Runnable next) {
        database.after(span, () -> {
            if (!isEnded) {
                next.run();
            }
        });
    }

    /** Goes on after work that takes a while, which is cancelled if it takes too long. */
    void work(Duration span, Runnable next) {
        Duration limit = database.options().statementTimeout();
        if (span.compareTo(limit) > 0) {
            pause(limit, this::abort);
        } else {
            pause(span, next);
        }
    }

    /** Applies the changes and gives the locks back. */
    void commit() {
        changes.forEach(change -> change.accept(database.tables()));
        end();
        afterCommit.forEach(Runnable::run);
    }

    /** Gives the locks back. Idempotent. */
    void rollback() {
        if (!isEnded) {
            end();
        }
    }

    /** Rolls back on the database's order, as after a timeout or a fail-over. */
    void abort() {
        if (!isEnded) {
            end();
            if (onAbort != null) {
                onAbort.run();
            }
        }
    }

    private void end() {
        isEnded = true;
        changes.clear();
        database.ended(this);
    }

    /** Marks its commit as on the way. From now on the session does not end with its connection. */
    void handOver() {
        isHandedOver = true;
    }

    boolean isHandedOver() {
        return isHandedOver;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Called when another session holds a lock. A session that waits for too long is cancelled. */
    void waits() {
        isWaiting = true;
        database.after(database.options().statementTimeout(), () -> {
            if (isWaiting) {
                abort();
            }
        });
    }

    /** Called when a lock is granted. */
    void goesOn() {
        isWaiting = false;
    }
}
