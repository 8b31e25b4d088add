package dev.blobshuffle.postgresql.internal.log;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.postgresql.internal.connection.ConnectionPool;
import dev.blobshuffle.postgresql.internal.connection.Pooler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the schema's channel, which gets a topic's number after each sequencing, and passes
 * the numbers on. Uses one connection and one thread, from the first subscription to the last.
 * Behind a transaction pooler it does nothing, because a session's LISTEN would end with the
 * transaction. Thread-safe.
 */
final class HintListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HintListener.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /** After this silence, the connection is checked. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private static final int CHECK_SECONDS = 2;

    private final ConnectionPool pool;
    private final Time time;
    private final Time.Workers worker;
    private final Signal changed;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    private volatile boolean isLive;
    private volatile boolean isClosed;

    /** Guarded by this, as is {@code session}. */
    private boolean isRunning;

    private @Nullable Connection session;

    HintListener(ConnectionPool pool, Time time) {
        this.pool = pool;
        this.time = time;
        this.worker = time.workers("blobshuffle-log-listener", 1);
        this.changed = time.signal();
    }

    CommitLog.Hints subscribe(IntConsumer topic) {
        Subscription subscription = new Subscription(topic);
        synchronized (this) {
            if (isClosed) {
                throw new ClosedException("Cannot subscribe to hints: the log is closed. Open it again.");
            }
            subscriptions.add(subscription);
            if (!isRunning && pool.uri().pooler() != Pooler.TRANSACTION) {
                isRunning = true;
                worker.execute(this::run);
            }
        }
        return subscription;
    }

    private void run() {
        Duration pause = FIRST_PAUSE;
        while (goesOn()) {
            try {
                listen();
                pause = FIRST_PAUSE;
            } catch (SQLException | BlobShuffleException e) {
                if (isLive && !isClosed) {
                    pause = FIRST_PAUSE;
                    LOG.warn("Hints of new batches are interrupted; the log is polled meanwhile.", e);
                }
                isLive = false;
                await(pause);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            } finally {
                isLive = false;
            }
        }
    }

    private synchronized boolean goesOn() {
        isRunning = !isClosed && !subscriptions.isEmpty();
        return isRunning;
    }

    private void listen() throws SQLException, InterruptedException {
        try (Connection connection = pool.session("listen to the log")) {
            if (!adopt(connection)) {
                return;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("listen \"" + pool.uri().schema() + "\"");
            }
            isLive = true;
            PGConnection own = connection.unwrap(PGConnection.class);
            while (!isClosed && !subscriptions.isEmpty()) {
                PGNotification[] hints = own.getNotifications(Math.toIntExact(SILENCE.toMillis()));
                if (hints != null && hints.length > 0) {
                    publish(hints);
                } else if (!connection.isValid(CHECK_SECONDS)) {
                    throw new SQLException("The connection does not answer.", "08006");
                }
            }
        } finally {
            synchronized (this) {
                session = null;
            }
        }
    }

    private synchronized boolean adopt(Connection connection) {
        session = isClosed ? null : connection;
        return session != null;
    }

    private void publish(PGNotification[] hints) {
        Stream.of(hints)
                .map(PGNotification::getParameter)
                .distinct()
                .filter(payload -> payload.matches("\\d{1,9}"))
                .mapToInt(Integer::parseInt)
                .forEach(topic -> subscriptions.forEach(each -> each.accept(topic)));
    }

    private void await(Duration pause) {
        long seen = changed.count();
        try {
            boolean ignored = isClosed || changed.await(seen, time.nanos() + pause.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            isClosed = true;
        }
    }

    /** Ends the thread and its connection. Idempotent. */
    @Override
    public void close() {
        Connection open;
        synchronized (this) {
            isClosed = true;
            open = session;
            subscriptions.clear();
        }
        changed.raise();
        worker.close();
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("The connection that listens was closed already.", e);
            }
        }
    }

    /** One subscriber. */
    private final class Subscription implements CommitLog.Hints {
        private final IntConsumer topic;

        Subscription(IntConsumer topic) {
            this.topic = topic;
        }

        void accept(int number) {
            try {
                topic.accept(number);
            } catch (RuntimeException e) {
                LOG.warn("A subscriber to hints failed.", e);
            }
        }

        @Override
        public boolean areLive() {
            return isLive && subscriptions.contains(this);
        }

        @Override
        public void close() {
            subscriptions.remove(this);
        }
    }
}
