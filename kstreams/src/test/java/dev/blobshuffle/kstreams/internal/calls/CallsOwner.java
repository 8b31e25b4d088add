package dev.blobshuffle.kstreams.internal.calls;

import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;

/** Acts as a stream thread with calls, under virtual time. Owned by its actor. */
final class CallsOwner {
    private static final long LONGEST_WAIT_NANOS = 1_000_000_000L;

    private final ParallelCalls<Integer, Integer> calls;
    private final SimulatedTime time;
    private int finished;

    CallsOwner(ParallelCalls<Integer, Integer> calls, SimulatedTime time) {
        this.calls = calls;
        this.time = time;
    }

    /** Number of finished records. */
    int finished() {
        return finished;
    }

    /** Waits until another record may be offered. */
    void awaitRoom() throws InterruptedException {
        while (true) {
            long seen = calls.progress();
            finishReleased();
            if (!calls.isFull()) {
                return;
            }
            calls.awaitProgress(seen, time.nanos() + LONGEST_WAIT_NANOS);
        }
    }

    /** Waits for all calls, as a commit does, and returns the duration. */
    Duration drain() throws InterruptedException {
        long start = time.nanos();
        while (calls.pending() > 0) {
            long seen = calls.progress();
            finishReleased();
            if (calls.pending() > 0) {
                calls.awaitProgress(seen, time.nanos() + LONGEST_WAIT_NANOS);
            }
        }
        return Duration.ofNanos(time.nanos() - start);
    }

    private void finishReleased() {
        for (PendingRecord<Integer, Integer> record = calls.poll(); record != null; record = calls.poll()) {
            calls.finish(record);
            finished++;
        }
        calls.dispatch();
    }
}
