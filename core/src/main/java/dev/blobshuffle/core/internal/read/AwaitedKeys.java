package dev.blobshuffle.core.internal.read;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.DeliveryFailedException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The encryption keys that segments wait for. A request to the source of keys may block, so it runs
 * on a separate thread. The Debatchers of an instance share the request for a key.
 *
 * <pre>
 *   (none) ──a segment needs the key──▶ ASKING ──the key is here──▶ (none)
 *     ▲                                 │   ▲
 *     │                  timeout is over│   │needed again, a second later: asks once
 *     │                                 ▼   │
 *     └─────────not needed for long──── FAILED
 * </pre>
 *
 * <p>Thread-safe: guarded by this. Listeners are called under the lock, and only raise signals.
 */
final class AwaitedKeys implements AutoCloseable {
    /** The wait before the second request. It doubles with each request. */
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** The age of a failure at which the source is asked again. */
    private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    /** The age at which a failure is forgotten. */
    private static final long STALE_NANOS = Duration.ofMinutes(5).toNanos();

    /** More than one, so that a hanging request does not delay those for other keys. */
    private static final int THREADS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(AwaitedKeys.class);

    private final Keyring keys;
    private final Time time;
    private final Map<String, Wait> waits = new HashMap<>();
    private Time.@Nullable Workers workers;
    private boolean isClosed;

    AwaitedKeys(Keyring keys, Time time) {
        this.keys = keys;
        this.time = time;
    }

    /**
     * Requests a missing key, unless a request for it is running.
     *
     * @param whenEnded called once, when the key is available or the request has failed
     * @return why the key is not available; null while the request is running
     */
    synchronized @Nullable BlobShuffleException await(String id, Runnable whenEnded) {
        forgetStale();
        Wait wait = waits.get(id);
        if (wait == null) {
            wait = new Wait(id, time.nanos() + keys.timeout().toNanos());
            waits.put(id, wait);
        } else if (wait.failure != null) {
            if (time.nanos() - wait.endedAt < AGAIN_NANOS || isClosed) {
                return wait.failure;
            }
            wait.failure = null;
        } else {
            wait.listeners.add(whenEnded);
            return null;
        }
        wait.listeners.add(whenEnded);
        begin(wait);
        return wait.failure;
    }

    private void forgetStale() {
        long now = time.nanos();
        waits.values().removeIf(wait -> wait.failure != null && now - wait.endedAt >= STALE_NANOS);
    }

    private synchronized void begin(Wait wait) {
        wait.timer = null;
        if (isClosed) {
            return;
        }
        try {
            if (workers == null) {
                workers = time.blockingWorkers("blobshuffle-keys", THREADS);
            }
            workers.execute(() -> ask(wait));
        } catch (RuntimeException | Error e) {
            ended(wait, broken(wait, e));
        }
    }

    private void ask(Wait wait) {
        BlobShuffleException failure = null;
        try {
            keys.require(wait.id);
        } catch (BlobShuffleException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = broken(wait, e);
        }
        ended(wait, failure);
    }

    private static BlobShuffleException broken(Wait wait, Throwable cause) {
        return new DeliveryFailedException(
                "Cannot ask for encryption key '" + wait.id + "': " + cause
                        + ". Start again; if it fails again, see the cause.",
                cause);
    }

    private synchronized void ended(Wait wait, @Nullable BlobShuffleException failure) {
        if (isClosed) {
            return;
        }
        if (failure == null) {
            waits.remove(wait.id);
        } else if (time.nanos() + wait.pause.toNanos() - wait.deadline < 0 && askLater(wait, failure)) {
            return;
        } else {
            wait.failure = failure;
            wait.endedAt = time.nanos();
        }
        wait.listeners.forEach(Runnable::run);
        wait.listeners.clear();
    }

    /**
     * @return false if the time source is closed
     */
    private boolean askLater(Wait wait, BlobShuffleException failure) {
        if (wait.pause.equals(FIRST_WAIT)) {
            LOG.warn("{} Asking again for up to {}.", failure.getMessage(), keys.timeout());
        }
        try {
            wait.timer = time.schedule(wait.pause, () -> begin(wait));
        } catch (RuntimeException e) {
            return false;
        }
        Duration twice = wait.pause.multipliedBy(2);
        wait.pause = twice.compareTo(LONGEST_WAIT) < 0 ? twice : LONGEST_WAIT;
        return true;
    }

    /** Stops all requests. Idempotent. */
    @Override
    public synchronized void close() {
        isClosed = true;
        for (Wait wait : waits.values()) {
            Time.Cancellable timer = wait.timer;
            if (timer != null) {
                timer.cancel();
            }
        }
        if (workers != null) {
            workers.close();
        }
    }

    /** A key that was requested. Guarded by the outer object. */
    private static final class Wait {
        private final String id;
        private final long deadline;
        private final Set<Runnable> listeners = new LinkedHashSet<>();
        private Duration pause = FIRST_WAIT;
        private Time.@Nullable Cancellable timer;
        private @Nullable BlobShuffleException failure;
        private long endedAt;

        Wait(String id, long deadline) {
            this.id = id;
            this.deadline = deadline;
        }
    }
}
