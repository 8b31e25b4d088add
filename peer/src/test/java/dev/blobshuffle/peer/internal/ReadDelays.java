package dev.blobshuffle.peer.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** When each record of a sequence became visible, and when it came. Thread-safe. */
final class ReadDelays {
    private final List<Long> visible = new ArrayList<>();
    private final List<Long> received = new ArrayList<>();

    /** The next record is visible. */
    synchronized void becameVisible() {
        visible.add(System.nanoTime());
    }

    /** A record came; they come in order, each once. */
    synchronized void came(long number) {
        if (number != received.size()) {
            throw new AssertionError("record " + number + " came as number " + received.size());
        }
        received.add(System.nanoTime());
        notifyAll();
    }

    synchronized int visible() {
        return visible.size();
    }

    /** Waits until everything visible has come. */
    synchronized void awaitAll(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (received.size() < visible.size()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(received.size() + " of " + visible.size() + " records came in " + timeout);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** The longest time that a record took from a number on. */
    synchronized Duration worstSince(int first) {
        long worst = 0;
        for (int i = first; i < visible.size(); i++) {
            worst = Math.max(worst, received.get(i) - visible.get(i));
        }
        return Duration.ofNanos(worst);
    }
}
