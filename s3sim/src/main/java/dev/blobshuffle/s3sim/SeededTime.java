package dev.blobshuffle.s3sim;

import dev.blobshuffle.core.time.ForwardingTime;
import dev.blobshuffle.core.time.SystemTime;
import java.util.SplittableRandom;

/** The machine's clocks and threads, with seeded random numbers. Thread-safe. */
final class SeededTime extends ForwardingTime implements AutoCloseable {
    private final SystemTime system;
    private final SplittableRandom random;

    SeededTime(long seed) {
        this(new SystemTime(), seed);
    }

    private SeededTime(SystemTime system, long seed) {
        super(system);
        this.system = system;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public long randomLong() {
        synchronized (random) {
            return random.nextLong();
        }
    }

    @Override
    public void close() {
        system.close();
    }
}
