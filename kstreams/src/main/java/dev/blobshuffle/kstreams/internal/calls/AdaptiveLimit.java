package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.kstreams.keyparallel.calls.Concurrency;

/**
 * Adapts the number of concurrent calls to the service. The number rises as long as more concurrent
 * calls raise the throughput. It falls if fewer calls get as much done, if calls time out, and if
 * the service reports an overload. It tries other numbers, each for a span of at least a second,
 * and compares each span with the one before:
 *
 * <pre>
 *   gain = ln(successes per second / those before)      step = ln(calls under way / those before)
 *   up by the root of the limit     gain &gt; step / 4     it stays, and the next trial follows at once
 *   down by a tenth                 gain &gt; step / 4     it stays: a tenth less under way costs less than a fortieth
 *                                   otherwise          back; the next trial, in the other direction, comes five spans later
 * </pre>
 *
 * <p>It starts a trial only if the limit has held calls back. Only successes count, and no latency
 * is remembered: a limit that compares with the best latency ever seen either never falls or always
 * climbs. A span lasts at least two mean latencies, so that it shows the effect of the trial.
 * Guarded by the lock of its {@link ParallelCalls}.
 */
public final class AdaptiveLimit {
    private static final double SPAN_NANOS = 1e9;
    private static final int SPANS_BETWEEN_TRIALS = 5;
    private static final double LEAST_ELASTICITY = 0.25;
    private static final double DOWN = 0.9;
    private static final double OVERLOADED = 0.8;

    /** The current trial. */
    private enum Trial {
        NONE,
        UP,
        DOWN
    }

    private final Concurrency bounds;
    private double limit;
    private double limitBefore;
    private Trial trial = Trial.NONE;
    private Trial next = Trial.UP;
    private int quiet = SPANS_BETWEEN_TRIALS;
    private double rateBefore;
    private double runningBefore;

    private int running;
    private long spanStart;
    private long lastChange;
    private double runningNanos;
    private int ended;
    private int successes;
    private int overloads;
    private boolean wasBinding;

    AdaptiveLimit(Concurrency bounds, long nowNanos) {
        this.bounds = bounds;
        limit = bounds.least();
        spanStart = nowNanos;
        lastChange = nowNanos;
    }

    /** The current limit of concurrent calls. */
    int calls() {
        return (int) limit;
    }

    /** Called when the limit holds a call back. */
    void bind() {
        wasBinding = true;
    }

    /** Called when the number of running calls changes. */
    void running(int calls, long nowNanos) {
        runningNanos += (double) running * (nowNanos - lastChange);
        lastChange = nowNanos;
        running = calls;
    }

    /**
     * Called when a call has ended: with success, with an overload, or with another failure, which
     * is ignored.
     */
    void ended(boolean isSuccess, boolean isOverload, long nowNanos) {
        ended++;
        successes += isSuccess ? 1 : 0;
        overloads += isOverload ? 1 : 0;
        running(running, nowNanos);
        double span = nowNanos - spanStart;
        // Little's law: the mean latency is the time in calls over their number.
        if (span >= SPAN_NANOS && span * ended >= 2 * runningNanos) {
            adjust(successes / span, runningNanos / span);
            spanStart = nowNanos;
            runningNanos = 0;
            ended = 0;
            successes = 0;
            overloads = 0;
            wasBinding = false;
        }
    }

    private void adjust(double rate, double mean) {
        if (overloads > 0) {
            set(limit * OVERLOADED);
            rest(Trial.UP);
        } else if (trial != Trial.NONE) {
            judge(Math.log(rate / rateBefore) > LEAST_ELASTICITY * Math.log(mean / runningBefore));
        }
        if (trial == Trial.NONE && wasBinding && successes > 0 && ++quiet > SPANS_BETWEEN_TRIALS) {
            begin();
        }
        rateBefore = rate;
        runningBefore = mean;
    }

    private void begin() {
        limitBefore = limit;
        trial = next;
        set(trial == Trial.UP ? limit + Math.sqrt(limit) : limit * DOWN);
    }

    /** Ends a trial. */
    private void judge(boolean pays) {
        Trial tried = trial;
        if (pays && (tried == Trial.DOWN || wasBinding)) {
            rest(tried);
            quiet = SPANS_BETWEEN_TRIALS;
        } else {
            set(limitBefore);
            rest(tried == Trial.UP ? Trial.DOWN : Trial.UP);
        }
    }

    private void rest(Trial then) {
        trial = Trial.NONE;
        next = then;
        quiet = 0;
    }

    private void set(double to) {
        limit = Math.min(bounds.most(), Math.max(bounds.least(), to));
    }
}
