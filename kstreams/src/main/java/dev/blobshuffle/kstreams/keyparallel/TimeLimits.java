package dev.blobshuffle.kstreams.keyparallel;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings.CommitLimit;
import dev.blobshuffle.kstreams.keyparallel.calls.RetryPolicy;
import java.time.Duration;

/**
 * The time limits that keep a commit that waits for calls within its transaction and its group
 * membership. By default, one node uses at most half of the longest time of a commit, which leaves
 * the rest for others. Immutable.
 *
 * @param drain the time in which a commit should finish its wait for one node's calls; governs how
 *     many records are taken
 * @param longestDrain the time after which a commit gives up
 * @param stall the limit of the waits for room, for all nodes of a thread together
 * @param turn the limit of these waits and the waits for calls together, between two times at which
 *     Kafka Streams checks the clock
 * @param timeout of an attempt
 */
record TimeLimits(Duration drain, Duration longestDrain, Duration stall, Duration turn, Duration timeout) {
    private static final Duration MOST_DRAIN = Duration.ofMinutes(1);

    /** If commits do not wait for calls, they should not wait for room either. */
    private static final Duration MOST_STALL = Duration.ofSeconds(10);

    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(30);

    /** The rest is for everything but waiting. */
    private static final double TURN_PART = 0.95;

    /** Without any wait for room, a thread would take records without limit. */
    private static final double LEAST_STALL_PART = 0.05;

    /** The part of the drain that the attempts of one call may use. */
    private static final double CALLS_PART = 0.8;

    /**
     * Derives missing limits from the settings, and checks the given ones.
     *
     * @throws InvalidSettingsException fatal: a commit could not wait for the slowest call
     */
    static TimeLimits of(KeyParallelOptions options, CommitLimit commit) {
        Duration turn = part(commit.longest(), TURN_PART);
        if (options.commitMode() instanceof CommitMode.Checkpoint) {
            Duration stall = shorter(commit.longest().dividedBy(3), MOST_STALL);
            return new TimeLimits(stall, stall, stall, turn, options.timeout().orElse(MOST_TIMEOUT));
        }
        Duration most = shorter(commit.longest().dividedBy(2), MOST_DRAIN);
        Duration drain = options.drainTimeout().orElse(most);
        Duration leastStall = part(commit.longest(), LEAST_STALL_PART);
        if (drain.plus(leastStall).compareTo(turn) > 0) {
            throw new InvalidSettingsException("Cannot wait for the calls of " + options.name() + ": a commit may wait "
                    + drain.toMillis() + " ms for them, records " + leastStall.toMillis() + " ms for room, and "
                    + commit.reason() + ", which is " + commit.longest().toMillis()
                    + " ms, has no room for both. Lower drainTimeout or raise the other.");
        }
        Duration timeout = options.timeout().orElseGet(() -> timeout(options.retries(), drain));
        Duration longest = options.retries().longest(timeout);
        if (longest.compareTo(drain) > 0 || timeout.toMillis() < 1) {
            throw new InvalidSettingsException("Cannot wait for the calls of " + options.name() + ": a call may take "
                    + longest.toMillis() + " ms in all (" + options.retries().attempts() + " attempts of "
                    + timeout.toMillis() + " ms, and the delays between them), and a commit may wait "
                    + drain.toMillis() + " ms for it. Lower the former, or raise drainTimeout, and with it "
                    + commit.reason() + ".");
        }
        return new TimeLimits(
                drain,
                options.drainTimeout().orElse(shorter(turn, MOST_DRAIN)),
                shorter(shorter(drain, commit.longest().dividedBy(3)), turn.minus(drain)),
                turn,
                timeout);
    }

    private static Duration part(Duration whole, double part) {
        return Duration.ofMillis((long) (part * whole.toMillis()));
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
