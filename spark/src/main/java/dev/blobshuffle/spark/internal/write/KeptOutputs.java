package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The outputs of stored blobs that are on the executor's disk too, about 100 bytes each. Guarded by
 * itself.
 */
final class KeptOutputs {
    private final Map<Integer, List<Blob>> shuffles = new HashMap<>();

    /**
     * A stored blob.
     *
     * @param length in the store, bytes
     * @param outputs attempts of its maps, and what deletes their files
     */
    record Blob(BlobId id, long length, Map<Long, Runnable> outputs) {
        static Blob of(OpenBlob stored, long length) {
            Map<Long, Runnable> outputs = new HashMap<>();
            stored.outputs.forEach(output -> outputs.put(output.attempt(), output.release()));
            return new Blob(stored.id, length, outputs);
        }
    }

    synchronized void add(int shuffle, Blob blob) {
        shuffles.computeIfAbsent(shuffle, id -> new ArrayList<>()).add(blob);
    }

    /** Spark deletes the files of a removed shuffle. */
    synchronized void drop(int shuffle) {
        shuffles.remove(shuffle);
    }

    /** Whether the output of an attempt is in a stored blob. */
    synchronized boolean has(int shuffle, long attempt) {
        return shuffles.getOrDefault(shuffle, List.of()).stream().anyMatch(blob -> blob.outputs.containsKey(attempt));
    }

    /** Takes all of them out. */
    synchronized List<Blob> takeAll() {
        List<Blob> all = shuffles.values().stream().flatMap(List::stream).toList();
        shuffles.clear();
        return all;
    }
}
