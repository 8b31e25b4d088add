package dev.blobshuffle.kstreams;

import dev.blobshuffle.core.settings.BatchScope;
import dev.blobshuffle.core.settings.Settings;
import dev.blobshuffle.core.shuffle.BatcherOptions;
import dev.blobshuffle.core.shuffle.Engine;
import dev.blobshuffle.core.shuffle.ShuffleEngine;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStores;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;

/** Opens an engine as settings say. Stateless. */
final class Engines {
    private static final int MAX_RECORD_BYTES = 900 << 10;

    private Engines() {}

    static Engine open(Settings settings, Duration deliveryTimeout, Time time) {
        BatcherOptions.Builder options = BatcherOptions.builder()
                .batchBytes(settings.value(Settings.BATCH_MAX_BYTES).bytes())
                .delay(settings.value(Settings.BATCH_MAX_DELAY))
                .scope(
                        settings.value(Settings.BATCH_SCOPE) == BatchScope.LANE
                                ? BatcherOptions.Scope.LANE
                                : BatcherOptions.Scope.INSTANCE)
                .inlineBytes(settings.value(Settings.INLINE_MAX_BYTES).bytes())
                .codec(settings.value(Settings.COMPRESSION_TYPE))
                .deliveryTimeout(deliveryTimeout)
                .bufferBytes(settings.value(Settings.WRITE_BUFFER_BYTES).bytes());
        if (settings.value(Settings.FALLBACK_ENABLED)) {
            long bytesPerSecond =
                    settings.value(Settings.FALLBACK_MAX_BYTES_PER_SECOND).bytes();
            options.fallback(new BatcherOptions.Fallback(bytesPerSecond, MAX_RECORD_BYTES));
        }
        BatcherOptions batching = options.build();
        BlobStore store = BlobStores.open(settings.store(), time);
        try {
            return ShuffleEngine.builder(store, time)
                    .batching(batching)
                    .readBufferBytes(settings.value(Settings.READ_BUFFER_BYTES).bytes())
                    .whenClosed(store::close)
                    .build();
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }
}
