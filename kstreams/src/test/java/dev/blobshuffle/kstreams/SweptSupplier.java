package dev.blobshuffle.kstreams;

import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.util.function.UnaryOperator;

/**
 * Clients as {@link BlobShuffleClientSupplier} makes them, of an application that sweeps every few
 * seconds. Public for Kafka Streams, which makes it.
 */
public final class SweptSupplier extends ApplicationSupplier {
    @Override
    ShuffledApplication application(ApplicationSettings settings) {
        return new ShuffledApplication(settings, UnaryOperator.identity(), QuickSweeper::of);
    }
}
