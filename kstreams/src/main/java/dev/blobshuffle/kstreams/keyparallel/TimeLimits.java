package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.kstreams.ApplicationSettings.CommitLimit;
import java.time.Duration;

/**
 * What may take how long, so that a commit which waits for calls loses neither its transaction nor its membership. Immutable.
 *
 * @param drain of a commit's wait, where commits wait
 * @param stall of a wait for room
 * @param timeout of an attempt
 */
record TimeLimits(Duration drain, Duration stall, Duration timeout) {
    private static final Duration MOST_DRAIN = Duration.ofMinutes(1);

    /** Where commits do not wait for calls, they should not wait for room either. */
    private static final Duration MOST_STALL = Duration.ofSeconds(10);

    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(30);

    /** Of this part of the drain, the attempts of one call may make use. */
    private static final double CALLS_PART = 0.8;

    /**
     * Derives what is not given from the settings, and checks what is.
     *
     * @throws InvalidSettings fatal: a commit could not wait for the slowest call
     */
    static TimeLimits of(KeyParallelOptions options, CommitLimit commit) {
        if (options.commitMode() instanceof CommitMode.Checkpoint) {
            Duration stall = shorter(commit.longest().dividedBy(3), MOST_STALL);
            return new TimeLimits(stall, stall, options.timeout().orElse(MOST_TIMEOUT));
        }
        Duration most = commit.longest().dividedBy(2);
        Duration drain = options.drainTimeout().orElseGet(() -> shorter(most, MOST_DRAIN));
        if (drain.compareTo(commit.longest()) > 0) {
            throw new InvalidSettings("Cannot wait for the calls of " + options.name() + ": a commit may wait "
                    + drain.toMillis() + " ms for them, and " + commit.reason() + ", which is "
                    + commit.longest().toMillis() + " ms, is less. Lower one or raise the other.");
        }
        Duration timeout = options.timeout().orElseGet(() -> timeout(options.retries(), drain));
        Duration longest = options.retries().longest(timeout);
        if (longest.compareTo(drain) > 0 || timeout.toMillis() < 1) {
            throw new InvalidSettings("Cannot wait for the calls of " + options.name() + ": a call may take "
                    + longest.toMillis() + " ms in all (" + options.retries().attempts() + " attempts of "
                    + timeout.toMillis() + " ms, and the delays between them), and a commit may wait "
                    + drain.toMillis() + " ms for it. Lower the former, or raise drainTimeout, and with it "
                    + commit.reason() + ".");
        }
        return new TimeLimits(drain, shorter(drain, commit.longest().dividedBy(3)), timeout);
    }

    private static Duration timeout(RetryPolicy retries, Duration drain) {
        Duration delays = retries.longest(Duration.ZERO);
        Duration left =
                Duration.ofMillis((long) (CALLS_PART * drain.toMillis())).minus(delays);
        return shorter(left.dividedBy(retries.attempts()), MOST_TIMEOUT);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
