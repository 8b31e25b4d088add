package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Makes the clients of {@link BlobShuffleClientSupplier} for an application that sweeps its own
 * blobs every half minute, and whose wall clock a test can move. Public, because Kafka Streams
 * makes it.
 */
public final class ChaosSupplier extends ApplicationSupplier {
    /** Longer than uploads, transactions, partitions and pauses of a chaotic run together. */
    private static final Duration SWEEP = Duration.ofSeconds(40);

    private static final AtomicLong OFFSET = new AtomicLong();

    /** Moves the wall clock of this process ahead. */
    public static void jump(Duration ahead) {
        OFFSET.set(ahead.toMillis());
    }

    @Override
    ShuffledApplication application(ApplicationSettings settings) {
        return new ShuffledApplication(
                settings,
                UnaryOperator.identity(),
                (blobs, source, metrics, time) -> QuickSweeper.every(SWEEP, blobs, source, metrics, time),
                () -> new SystemTime(() -> System.currentTimeMillis() + OFFSET.get()));
    }
}
