package dev.blobshuffle.testkit.internal.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a database in memory: rows, and PostgreSQL's advisory locks. A session keeps its
 * locks until it ends. Requests for one lock are granted in their order. Guarded by the database.
 */
final class LockTable {
    private final Map<Key, Lock> locks = new HashMap<>();
    private final Map<Session, Set<Key>> held = new HashMap<>();

    /** A kind of lock. */
    enum Kind {
        /** The row of a writer. */
        WRITER,
        /** Commits to a topic, against its deletion. */
        TOPIC,
        /** Commits that refer to blobs of a minute, against their burial. */
        GENERATION,
        /** Sequencing of a topic. */
        SEQUENCE,
        /** Trimming. */
        TRIM,
        /** The row of a group. */
        GROUP,
        /** The row of a partition of a group. */
        PARTITION
    }

    /**
     * A lock.
     *
     * @param of the number or name of what it locks
     */
    record Key(Kind kind, Object of) {}

    private record Request(Session session, boolean isShared, Runnable granted) {}

    private static final class Lock {
        private final Set<Session> sharers = new LinkedHashSet<>();
        private @Nullable Session owner;
        private final Deque<Request> waiting = new ArrayDeque<>();

        boolean admits(Request request) {
            Session exclusive = owner;
            if (exclusive != null) {
                return exclusive == request.session;
            }
            return request.isShared || sharers.isEmpty() || (sharers.size() == 1 && sharers.contains(request.session));
        }

        void grant(Request request) {
            if (request.isShared) {
                sharers.add(request.session);
            } else {
                owner = request.session;
            }
        }

        boolean isFree() {
            return owner == null && sharers.isEmpty() && waiting.isEmpty();
        }
    }

    /** Takes a lock for one session alone, now or when it is free. */
    void exclusive(Session session, Key key, Runnable granted) {
        request(key, new Request(session, false, granted));
    }

    /** Takes a lock together with other sharers, now or when it is free. */
    void shared(Session session, Key key, Runnable granted) {
        request(key, new Request(session, true, granted));
    }

    /** Takes some locks alone, one after the other. */
    void exclusiveAll(Session session, Kind kind, Iterator<?> of, Runnable granted) {
        while (of.hasNext()) {
            Key key = new Key(kind, of.next());
            if (!tryExclusive(session, key)) {
                exclusive(session, key, () -> exclusiveAll(session, kind, of, granted));
                return;
            }
        }
        granted.run();
    }

    /** Takes a lock alone if it is free. */
    boolean tryExclusive(Session session, Key key) {
        Lock lock = locks.computeIfAbsent(key, unknown -> new Lock());
        Request request = new Request(session, false, () -> {});
        if (!lock.waiting.isEmpty() || !lock.admits(request)) {
            return false;
        }
        give(key, lock, request);
        return true;
    }

    private void request(Key key, Request request) {
        Lock lock = locks.computeIfAbsent(key, unknown -> new Lock());
        boolean isHolder = lock.owner == request.session || lock.sharers.contains(request.session);
        if (lock.admits(request) && (isHolder || lock.waiting.isEmpty())) {
            give(key, lock, request);
            request.granted.run();
        } else {
            lock.waiting.add(request);
            held.computeIfAbsent(request.session, unknown -> new LinkedHashSet<>())
                    .add(key);
            request.session.waits();
        }
    }

    private void give(Key key, Lock lock, Request request) {
        lock.grant(request);
        held.computeIfAbsent(request.session, unknown -> new LinkedHashSet<>()).add(key);
    }

    /** Gives back everything a session has or waits for; others go on. */
    void release(Session session) {
        Set<Key> keys = held.remove(session);
        if (keys == null) {
            return;
        }
        for (Key key : keys) {
            Lock lock = locks.get(key);
            if (lock == null) {
                continue;
            }
            lock.sharers.remove(session);
            if (lock.owner == session) {
                lock.owner = null;
            }
            lock.waiting.removeIf(request -> request.session == session);
            grantNext(key, lock);
            if (lock.isFree()) {
                locks.remove(key, lock);
            }
        }
    }

    private void grantNext(Key key, Lock lock) {
        while (true) {
            Request next = lock.waiting.peek();
            if (next == null || !lock.admits(next)) {
                return;
            }
            lock.waiting.remove();
            give(key, lock, next);
            next.session.goesOn();
            next.granted.run();
        }
    }
}
