package dev.blobshuffle.core.resilience;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The answer to a request that was given up for its time. Goes to the one who claims it before it comes, or else back to the store. Thread-safe. */
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
