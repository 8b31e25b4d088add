package dev.blobshuffle.kstreams.internal.application;

import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import dev.blobshuffle.core.internal.write.options.WriteSettings;

/**
 * The batching options of an application's engine, for both front doors of this module. Stateless.
 */
public final class Engines {
    private Engines() {}

    /** Options that keep commits from waiting too long. */
    public static BatcherOptions batching(ApplicationSettings settings) {
        BatcherOptions.Builder batching =
                BatcherOptions.builder(settings.blobs()).deliveryTimeout(settings.waitLimit());
        settings.blobs()
                .value(WriteSettings.BATCH_TARGET_LATENCY)
                .ifPresent(latency -> batching.target(new LatencyTarget(latency, settings.hiddenFor())));
        return batching.build();
    }
}
