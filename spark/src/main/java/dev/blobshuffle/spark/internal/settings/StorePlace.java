package dev.blobshuffle.spark.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreUri;

/** Where executors can keep blobs. Stateless. */
public final class StorePlace {
    private static final String MEMORY = "memory";

    private StorePlace() {}

    /**
     * Refuses a store that executors cannot reach.
     *
     * @throws InvalidSettingsException fatal: the store is in the memory of one process
     */
    public static void requireReachable(String store) {
        if (StoreUri.parse(store).scheme().equals(MEMORY)) {
            throw new InvalidSettingsException(
                    "Cannot keep shuffles in " + MEMORY + "://: it ends with the process, and other"
                            + " executors cannot read it. Name a directory or a bucket that all of them reach.");
        }
    }
}
