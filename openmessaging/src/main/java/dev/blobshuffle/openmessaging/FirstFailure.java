package dev.blobshuffle.openmessaging;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The first failure of a consumer. Producers and the driver throw it, so that the benchmark stops.
 * Thread-safe.
 */
final class FirstFailure {
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Keeps a failure, unless there is one already. */
    void keep(Throwable thrown) {
        failure.compareAndSet(null, thrown);
    }

    /**
     * Returns if nothing has failed.
     *
     * @throws IllegalStateException a consumer has failed; its cause is the failure
     */
    void check() {
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException(
                    "Cannot go on: a consumer has failed, " + thrown.getMessage() + " The results of this run are void.",
                    thrown);
        }
    }
}
