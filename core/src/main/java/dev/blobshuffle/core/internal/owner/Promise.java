package dev.blobshuffle.core.internal.owner;

import java.time.Duration;
import java.util.Optional;

/**
 * The promise that the members of an owner make to each other.
 *
 * @param bound the longest time from the seal of a batch to its notification
 * @param retention the age at which a blob may be deleted without reading the logs; empty: the logs
 *     decide
 */
public record Promise(Duration bound, Optional<Duration> retention) {
    private static final String NEEDED = "needed";

    /** Checks the durations. */
    public Promise {
        if (bound.isNegative() || retention.filter(Duration::isNegative).isPresent()) {
            throw new IllegalArgumentException("Cannot promise a negative duration: " + bound + ", " + retention + ".");
        }
    }

    /**
     * Whether this promise is at least as long as another in both parts, so that a sweep by this
     * one also respects the other.
     */
    public boolean covers(Promise other) {
        return bound.compareTo(other.bound) >= 0
                && longer(retention, other.retention).equals(retention);
    }

    /** The smallest promise that covers both. */
    public Promise and(Promise other) {
        return new Promise(bound.compareTo(other.bound) >= 0 ? bound : other.bound, longer(retention, other.retention));
    }

    private static Optional<Duration> longer(Optional<Duration> one, Optional<Duration> other) {
        boolean isOne = one.isEmpty()
                || other.filter(age -> one.get().compareTo(age) >= 0).isPresent();
        return isOne ? one : other;
    }

    /** The promise as two words in the register. */
    String words() {
        return bound.toMillis() + " "
                + retention.map(age -> Long.toString(age.toMillis())).orElse(NEEDED);
    }

    /** Parses the result of {@link #words}. */
    static Promise of(String bound, String retention) {
        return new Promise(millis(bound), retention.equals(NEEDED) ? Optional.empty() : Optional.of(millis(retention)));
    }

    private static Duration millis(String word) {
        if (!word.matches("[0-9]{1,15}")) {
            throw new IllegalArgumentException(
                    "Cannot read a duration: '" + word + "' is not a number of milliseconds.");
        }
        return Duration.ofMillis(Long.parseLong(word));
    }
}
