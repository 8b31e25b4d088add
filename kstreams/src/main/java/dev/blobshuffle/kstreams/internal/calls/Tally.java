package dev.blobshuffle.kstreams.internal.calls;

import java.util.concurrent.atomic.LongAdder;

/** Counters of one node of one task since it was opened. Thread-safe. */
public final class Tally {
    public final LongAdder calls = new LongAdder();
    public final LongAdder callNanos = new LongAdder();
    public final LongAdder timedOut = new LongAdder();
    public final LongAdder retried = new LongAdder();
    public final LongAdder forwarded = new LongAdder();
    public final LongAdder failed = new LongAdder();
    public final LongAdder skipped = new LongAdder();
    public final LongAdder drains = new LongAdder();
    public final LongAdder drainNanos = new LongAdder();
    public final LongAdder blockedNanos = new LongAdder();
    public final LongAdder stored = new LongAdder();
    public final LongAdder recovered = new LongAdder();
}
