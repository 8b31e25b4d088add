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
     * @throws InvalidSettingsException fatal: the URI is wrong, or the store is in one process's
     *     memory
     */
    public static void requireReachable(String store) {
        if (parse(store).scheme().equals(MEMORY)) {
            throw new InvalidSettingsException(
                    "Cannot keep shuffles in " + MEMORY + "://: it ends with the process, and other"
                            + " executors cannot read it. Name a directory or a bucket that all of them reach.");
        }
    }

    private static StoreUri parse(String store) {
        try {
            return StoreUri.parse(store);
        } catch (InvalidSettingsException e) {
            throw SparkSettings.sparkNames(e);
        }
    }
}
