package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker between readers and a store of copies. It repeats a request that fails fast. If
 * the request still fails, the circuit opens: readers fail at once for a while. Then one reader
 * sends a request, and the others fail until it has an answer. A store that does not answer thus
 * blocks few threads, and blobs in directories stay available. Thread-safe: guarded by itself.
 */
final class CopyGate {
    private static final int ATTEMPTS = 3;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    /** The time after which a failed request is not repeated. */
    private static final long SOON_NANOS = Duration.ofSeconds(2).toNanos();

    private static final long REST_NANOS = Duration.ofSeconds(5).toNanos();

    private final Time time;
    private @Nullable StoreUnavailableException failure;
    private long failedNanos;
    private boolean isAsking;

    CopyGate(Time time) {
        this.time = time;
    }

    /**
     * Sends a request.
     *
     * @throws StoreUnavailableException recoverable: this request failed, or the circuit is open
     */
    <T> T ask(Supplier<T> request) {
        boolean isProbe = enter();
        try {
            T answer = repeated(request);
            succeeded();
            return answer;
        } catch (StoreUnavailableException e) {
            failed(e);
            throw e;
        } catch (BlobMissingException | BlobCorruptException e) {
            succeeded(); // The store answers.
            throw e;
        } finally {
            if (isProbe) {
                leave();
            }
        }
    }

    private synchronized boolean enter() {
        StoreUnavailableException before = failure;
        if (before == null) {
            return false;
        }
        if (isAsking || time.nanos() - failedNanos < REST_NANOS) {
            throw new StorePausedException(before);
        }
        isAsking = true;
        return true;
    }

    private synchronized void leave() {
        isAsking = false;
    }

    private synchronized void succeeded() {
        failure = null;
    }

    private synchronized void failed(StoreUnavailableException cause) {
        failure = cause;
        failedNanos = time.nanos();
    }

    private <T> T repeated(Supplier<T> request) {
        long began = time.nanos();
        for (int attempt = 1; ; attempt++) {
            try {
                return request.get();
            } catch (StoreUnavailableException e) {
                boolean isSoon = time.nanos() - began < SOON_NANOS;
                if (e instanceof StoreRefusedException || attempt == ATTEMPTS || !isSoon) {
                    throw e;
                }
                pause(FIRST_PAUSE.multipliedBy(1L << attempt - 1), e);
            }
        }
    }

    private void pause(Duration pause, StoreUnavailableException cause) {
        Signal never = time.signal();
        try {
            boolean ignored = never.await(never.count(), time.nanos() + pause.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cause.addSuppressed(e);
            throw cause;
        }
    }
}
