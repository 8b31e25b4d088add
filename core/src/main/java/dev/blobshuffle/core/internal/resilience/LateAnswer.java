package dev.blobshuffle.core.internal.resilience;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request that timed out. If a caller claims it before it arrives, the caller
 * receives it; otherwise it is released. Thread-safe.
 */
final class LateAnswer<T> {
    private final Consumer<T> unwanted;

    /** Guarded by this. */
    private @Nullable Consumer<T> taker;

    LateAnswer(Consumer<T> unwanted) {
        this.unwanted = unwanted;
    }

    synchronized void claim(Consumer<T> newTaker) {
        taker = newTaker;
    }

    void came(T answer) {
        Consumer<T> claimed;
        synchronized (this) {
            claimed = taker;
        }
        (claimed == null ? unwanted : claimed).accept(answer);
    }
}
