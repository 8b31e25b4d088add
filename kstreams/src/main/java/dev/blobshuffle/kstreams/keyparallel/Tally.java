package dev.blobshuffle.kstreams.keyparallel;

import java.util.concurrent.atomic.LongAdder;

/** What has happened at one node of one task since it was opened. Thread-safe. */
final class Tally {
    final LongAdder calls = new LongAdder();
    final LongAdder callNanos = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder retried = new LongAdder();
    final LongAdder forwarded = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final LongAdder drains = new LongAdder();
    final LongAdder drainNanos = new LongAdder();
    final LongAdder blockedNanos = new LongAdder();
    final LongAdder stored = new LongAdder();
    final LongAdder recovered = new LongAdder();
}
