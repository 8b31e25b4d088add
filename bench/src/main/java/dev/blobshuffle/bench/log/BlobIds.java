package dev.blobshuffle.bench.log;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.concurrent.ThreadLocalRandom;

/** Ids of blobs as writers create them now: generation, writer, sequence. */
final class BlobIds {
    private static final int BYTES = 20;
    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final Clock CLOCK = Clock.systemUTC();

    private BlobIds() {}

    /** A unique id for a blob of this minute. */
    static byte[] next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return ByteBuffer.allocate(BYTES)
                .putInt((int) (CLOCK.millis() / MILLIS_PER_MINUTE))
                .putLong(random.nextLong())
                .putLong(random.nextLong())
                .array();
    }
}
