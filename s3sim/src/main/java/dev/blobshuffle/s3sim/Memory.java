package dev.blobshuffle.s3sim;

import java.util.concurrent.atomic.AtomicLong;

/** The budget of the objects' bytes. Thread-safe. */
final class Memory {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    Memory(long limit) {
        this.limit = limit;
    }

    void reserve(long bytes) throws RefusedException {
        if (bytes > Integer.MAX_VALUE - 8 || used.addAndGet(bytes) > limit) {
            if (bytes <= Integer.MAX_VALUE - 8) {
                used.addAndGet(-bytes);
            }
            throw new RefusedException(S3Error.STORAGE_FULL);
        }
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
