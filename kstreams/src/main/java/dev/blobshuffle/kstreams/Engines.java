package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.batch.BatcherOptions;
import dev.blobshuffle.core.engine.ShuffleEngine;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
import dev.blobshuffle.core.resilience.ResilienceOptions;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.shuffle.Engine;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/** Opens an engine as settings say, for both front doors of this module. Stateless. */
public final class Engines {
    private Engines() {}

    /**
     * An engine with the store that the settings name, which is checked first and closed with the engine. Blocks.
     *
     * @param deliveryTimeout time from the end of a batch until its blob must be stored
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: the settings cannot work
     * @throws dev.blobshuffle.core.failure.StoreUnavailable recoverable: the store does not work now
     */
    public static Engine open(Settings settings, Duration deliveryTimeout, Time time) {
        BatcherOptions batching = BatcherOptions.builder(settings)
                .deliveryTimeout(deliveryTimeout)
                .build();
        ShuffleMetrics metrics = new ShuffleMetrics(time);
        BlobStore store = BlobStores.open(settings.store(), new StoreContext(time, RequestMeter.into(metrics)));
        try {
            return ShuffleEngine.builder(store, time)
                    .metrics(metrics)
                    .batching(batching)
                    .resilience(ResilienceOptions.of(settings))
                    .readBufferBytes(settings.value(Settings.READ_BUFFER_BYTES).bytes())
                    .whenClosed(store::close)
                    .build();
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }
}
