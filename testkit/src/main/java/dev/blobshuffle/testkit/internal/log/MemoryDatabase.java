package dev.blobshuffle.testkit.internal.log;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.testkit.internal.log.LogFaults.Fate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A database in memory that holds one commit log. It has what the log in PostgreSQL relies on:
 * transactions whose changes are invisible before they commit, locks on rows and advisory locks
 * that they hold until then, identities that are drawn before they are visible, and a clock of its
 * own. It can stand still between two steps, and fail over. Clients are {@link MemoryLog}s.
 * Thread-safe.
 */
public final class MemoryDatabase {
    private static final long MILLIS_PER_MINUTE = 60_000;

    private final Time time;
    private final LogOptions options;
    private final LogFaults faults;
    private final Set<LogDefect> defects;
    private final UUID id;
    private final Object monitor = new Object();

    /** Guarded by the monitor, as is everything below. */
    private final LockTable locks = new LockTable();

    private final Set<Session> sessions = new LinkedHashSet<>();
    private final Set<IntConsumer> listeners = new LinkedHashSet<>();
    private final Map<String, Deque<Long>> drawnAhead = new HashMap<>();
    private LogTables tables = new LogTables();
    private List<Runnable> outgoing = new ArrayList<>();
    private boolean isInside;
    private long clockShiftMillis;
    private long timeline;

    /** A database without faults. */
    public MemoryDatabase(Time time) {
        this(time, LogOptions.DEFAULTS, LogFaults.NONE, Set.of());
    }

    /**
     * A database.
     *
     * @param time of the database's machine
     * @param faults what goes wrong
     * @param defects mistakes that it contains
     */
    public MemoryDatabase(Time time, LogOptions options, LogFaults faults, Set<LogDefect> defects) {
        this.time = time;
        this.options = options;
        this.faults = faults;
        this.defects = Set.copyOf(defects);
        id = new UUID(time.randomLong(), time.randomLong());
    }

    private MemoryDatabase(MemoryDatabase original, Standby copied) {
        time = original.time;
        options = original.options;
        faults = original.faults;
        defects = original.defects;
        id = original.id;
        clockShiftMillis = original.clockShiftMillis;
        tables = copied.tables.copy();
    }

    /**
     * A database restored from a backup of this one, which lives on its own beside it.
     *
     * @param backup see {@link #standby}
     */
    public MemoryDatabase restored(Standby backup) {
        return new MemoryDatabase(this, backup);
    }

    UUID id() {
        return id;
    }

    LogOptions options() {
        return options;
    }

    boolean has(LogDefect defect) {
        return defects.contains(defect);
    }

    // ---- faults

    /** Sets the clock forward, or back by a negative span. */
    public void shiftClock(Duration span) {
        enter(() -> clockShiftMillis += span.toMillis());
    }

    /**
     * Fails over to a synchronous standby: open transactions are rolled back, nothing else is lost.
     */
    public void failOver() {
        enter(() -> {
            timeline++;
            List.copyOf(sessions).forEach(Session::abort);
        });
    }

    /** An asynchronous standby that receives nothing from now on. */
    public Standby standby() {
        return read(() -> new Standby(tables.copy()));
    }

    /** Fails over to an asynchronous standby. Changes that it has not received are lost. */
    public void failOver(Standby standby) {
        enter(() -> {
            timeline++;
            List.copyOf(sessions).forEach(Session::abort);
            tables = standby.tables.copy();
        });
    }

    /** A copy of the database. */
    public static final class Standby {
        private final LogTables tables;

        private Standby(LogTables tables) {
            this.tables = tables;
        }
    }

    // ---- what a test looks at

    /** The rows that users' transactions have inserted. */
    public List<String> rows() {
        return read(() -> List.copyOf(tables.rows));
    }

    /** Whether a batch refers to a blob. */
    public boolean refersTo(BlobId blob) {
        return read(() -> tables.references.containsKey(blob));
    }

    /** The blobs that have a tombstone although a batch refers to them. */
    public Set<BlobId> buriedAlive() {
        return read(() -> tables.tombstones.keySet().stream()
                .filter(tables.references::containsKey)
                .collect(Collectors.toSet()));
    }

    /** Number of batches that wait to be sequenced. */
    public int staged() {
        return read(() -> tables.topics.values().stream()
                .mapToInt(topic -> topic.inbox.size())
                .sum());
    }

    /** Number of batches, unreferenced blobs and tombstones that it holds. */
    public int remains() {
        return read(() -> tables.batches.size() + tables.unreferenced.size() + tables.tombstones.size());
    }

    private <T> T read(Supplier<T> question) {
        synchronized (monitor) {
            return question.get();
        }
    }

    // ---- steps

    /**
     * Runs a step alone. Its messages to clients ({@link #send}) go out afterwards, when the
     * database is free.
     */
    void enter(Runnable step) {
        List<Runnable> out;
        synchronized (monitor) {
            if (isInside) {
                step.run();
                return;
            }
            isInside = true;
            try {
                step.run();
            } finally {
                isInside = false;
            }
            out = outgoing;
            outgoing = new ArrayList<>();
        }
        out.forEach(Runnable::run);
    }

    /** Runs a step after a while; at once if there is none to wait. */
    void after(Duration span, Runnable step) {
        if (span.isZero()) {
            enter(step);
        } else {
            time.schedule(span, () -> enter(step));
        }
    }

    /** Runs something outside the database, after this step. */
    void send(Runnable action) {
        outgoing.add(action);
    }

    Duration stall(LogCall call) {
        return faults.stall(call);
    }

    Fate next(LogCall call) {
        return faults.next(call);
    }

    /** Rises with each fail-over, which breaks all connections. */
    long timeline() {
        return timeline;
    }

    Session begin() {
        Session session = new Session(this);
        sessions.add(session);
        return session;
    }

    void ended(Session session) {
        sessions.remove(session);
        locks.release(session);
    }

    /** The identity of a writer's next batch. */
    long nextBatch(String writer) {
        if (!has(LogDefect.IDENTITIES_DRAWN_AHEAD)) {
            return tables.nextBatch++;
        }
        Deque<Long> ahead = drawnAhead.computeIfAbsent(writer, unknown -> new ArrayDeque<>());
        if (ahead.isEmpty()) {
            for (int i = 0; i < 10; i++) {
                ahead.add(tables.nextBatch++);
            }
        }
        return ahead.remove();
    }

    LogTables tables() {
        return tables;
    }

    LockTable locks() {
        return locks;
    }

    long clockMillis() {
        return time.wallMillis() + clockShiftMillis;
    }

    long clockMinute() {
        return Math.floorDiv(clockMillis(), MILLIS_PER_MINUTE);
    }

    // ---- hints

    void listen(IntConsumer listener) {
        enter(() -> listeners.add(listener));
    }

    void unlisten(IntConsumer listener) {
        enter(() -> listeners.remove(listener));
    }

    void hint(int topic) {
        for (IntConsumer listener : listeners) {
            if (!faults.losesHint()) {
                send(() -> listener.accept(topic));
            }
        }
    }

    /** The first of some values that is not null. */
    static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("Cannot go on: a row is missing that must be there.");
        }
        return value;
    }
}
