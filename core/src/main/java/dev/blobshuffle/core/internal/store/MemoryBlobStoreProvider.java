package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreParameter;
import dev.blobshuffle.core.store.StoreUri;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens {@code memory://name}: a store in this process's heap. All users of the name share it until
 * the process ends. {@code ?capacity=BYTES} bounds it (default: a quarter of the heap). For tests:
 * other processes cannot read it. Stateless except for the stores.
 */
public final class MemoryBlobStoreProvider implements BlobStoreProvider {
    private static final List<StoreParameter> PARAMETERS =
            List.of(new StoreParameter("capacity", "a quarter of the largest heap", "the most bytes that it holds"));

    private static final Map<String, MemoryBlobStore> STORES = new ConcurrentHashMap<>();

    @Override
    public String scheme() {
        return "memory";
    }

    @Override
    public List<StoreParameter> parameters() {
        return PARAMETERS;
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        uri.requireKnown(PARAMETERS);
        if (uri.authority().isEmpty() || uri.path().length() > 1) {
            throw new InvalidSettingsException(
                    "Cannot open store memory://: it needs a name and no path. Give memory://name.");
        }
        long capacity = uri.parameter("capacity")
                .map(MemoryBlobStoreProvider::capacity)
                .orElse(Math.max(1, Runtime.getRuntime().maxMemory() / 4));
        return new Shared(STORES.computeIfAbsent(uri.authority(), name -> new MemoryBlobStore(name, capacity)));
    }

    private static long capacity(String text) {
        try {
            long capacity = Long.parseLong(text);
            if (capacity > 0) {
                return capacity;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new InvalidSettingsException(
                "Cannot open store memory://: parameter capacity is '" + text + "'. Give a number of bytes above 0.");
    }

    /** One user's view of a shared store, which outlives it. */
    private static final class Shared extends ForwardingBlobStore {
        Shared(BlobStore store) {
            super(store);
        }

        @Override
        public void close() {
            // The store stays open, so the next user of the name finds the blobs.
        }
    }
}
