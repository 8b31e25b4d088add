package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.batch.BatcherOptions;
import dev.blobshuffle.core.engine.ShuffleEngine;
import dev.blobshuffle.core.membership.ZoneMap;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/** Opens an engine as settings say, for both front doors of this module. Stateless. */
public final class Engines {
    private Engines() {}

    /**
     * An engine with the store that the settings name, which is checked first and closed with the engine. Blocks.
     *
     * @param deliveryTimeout time from the end of a batch until its blob must be stored
     * @param members those who may share caches, if the settings ask for it
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store does not work now
     */
    public static ShuffleEngine open(Settings settings, Duration deliveryTimeout, ZoneMap members, Time time) {
        BatcherOptions batching = BatcherOptions.builder(settings)
                .deliveryTimeout(deliveryTimeout)
                .build();
        return ShuffleEngine.open(settings, batching, members, time);
    }
}
