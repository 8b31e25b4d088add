package dev.blobshuffle.spark.internal.write;

import dev.blobshuffle.core.store.BlobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A blob that is not stored yet. Its maps are guarded by the {@link MapBatcher}.
 *
 * <pre>
 *   FILLING --(enough maps, or old)--> SEALED --(old)--> UPLOADING --> stored
 *      \------------- the shuffle is removed -------------> DROPPED
 * </pre>
 */
final class OpenBlob {
    /** Where it is on its way. */
    enum State {
        FILLING,
        SEALED,
        UPLOADING,
        DROPPED
    }

    final BlobId id;
    final int shuffle;
    final List<MapOutput> outputs = new ArrayList<>();

    /** The driver knows the blob; false if the map that was to announce it was killed. */
    final CompletableFuture<Boolean> announced = new CompletableFuture<>();

    /** The store has it. */
    final CompletableFuture<Void> stored = new CompletableFuture<>();

    State state = State.FILLING;

    /** Whether readers in other zones wait for the upload. */
    boolean isAwaited;

    long bytes;
    int segments;

    OpenBlob(BlobId id, int shuffle) {
        this.id = id;
        this.shuffle = shuffle;
    }

    void add(MapOutput output) {
        outputs.add(output);
        bytes += output.bytes();
        segments += output.segments();
    }

    /** Whether a further map would make it too large. */
    boolean isTooFullFor(MapOutput output, PackingRule rule) {
        return segments + output.segments() > PackingRule.MOST_SEGMENTS || bytes + output.bytes() > 4 * rule.bytes();
    }

    boolean isFull(PackingRule rule) {
        return bytes >= rule.bytes() || outputs.size() >= rule.maps() || segments >= PackingRule.MOST_SEGMENTS;
    }
}
