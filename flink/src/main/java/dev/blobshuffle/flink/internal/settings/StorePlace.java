package dev.blobshuffle.flink.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.StoreUri;
import java.util.Optional;
import java.util.Set;

/** Where the tasks of a job can keep blobs. Stateless. */
public final class StorePlace {
    private static final String MEMORY = "memory";

    /** Flink's names of clusters within this process. */
    private static final Set<String> LOCAL_TARGETS = Set.of("local", "minicluster");

    private StorePlace() {}

    /**
     * Refuses a store that tasks cannot open, or that they cannot all reach. They would fail and
     * restart again and again.
     *
     * @param target where Flink says that the job runs; empty if it does not say
     * @throws InvalidSettingsException fatal: the artifact of the store is missing, or the store is
     *     in the memory of one process
     */
    public static void requireReachable(String store, Optional<String> target) {
        BlobStores.requireKnown(store);
        boolean isLocal = target.map(LOCAL_TARGETS::contains).orElse(true);
        if (!isLocal && StoreUri.parse(store).scheme().equals(MEMORY)) {
            throw new InvalidSettingsException(
                    "Cannot shuffle through " + MEMORY + ":// on a cluster: each TaskManager has a memory of its own."
                            + " Name a directory or a bucket that all of them reach.");
        }
    }
}
