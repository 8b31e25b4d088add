package dev.blobshuffle.kstreams;

import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.util.function.UnaryOperator;

/**
 * Makes the clients of {@link BlobShuffleClientSupplier} for an application that sweeps every few
 * seconds. Public, because Kafka Streams makes it.
 */
public final class SweptSupplier extends ApplicationSupplier {
    @Override
    ShuffledApplication application(ApplicationSettings settings) {
        return new ShuffledApplication(settings, UnaryOperator.identity(), QuickSweeper::of);
    }
}
