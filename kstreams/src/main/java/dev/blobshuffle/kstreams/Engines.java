package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.batch.BatcherOptions;
import dev.blobshuffle.core.batch.Target;
import dev.blobshuffle.core.engine.ShuffleEngine;
import dev.blobshuffle.core.engine.ShuffleEngine.StoreOpening;
import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.time.Time;

/** Opens an engine as settings say, for both front doors of this module. Stateless. */
public final class Engines {
    private Engines() {}

    /**
     * An engine with the store that the settings name, which is checked first and closed with the engine. Blocks.
     *
     * @param members those who may share caches, if the settings ask for it
     * @param opening how to open the store
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store does not work now
     */
    public static ShuffleEngine open(ApplicationSettings settings, ZoneMap members, Time time, StoreOpening opening) {
        BatcherOptions.Builder batching =
                BatcherOptions.builder(settings.blobs()).deliveryTimeout(settings.waitLimit());
        settings.blobs()
                .value(Settings.BATCH_TARGET_LATENCY)
                .ifPresent(latency -> batching.target(new Target(latency, settings.hiddenFor())));
        return ShuffleEngine.open(settings.blobs(), batching.build(), members, time, opening);
    }
}
