package dev.blobshuffle.kstreams.keyparallel;

import java.util.concurrent.CountDownLatch;

/** A service that answers at once, unless a test holds its answers back. Thread-safe. */
final class HeldService {
    private volatile CountDownLatch held = new CountDownLatch(0);

    /** From now on, calls wait. */
    void hold() {
        held = new CountDownLatch(1);
    }

    /** Answers all calls. */
    void release() {
        held.countDown();
    }

    /** The answer to a call: its value. */
    String answer(String key, String value) throws InterruptedException {
        held.await();
        return value;
    }
}
