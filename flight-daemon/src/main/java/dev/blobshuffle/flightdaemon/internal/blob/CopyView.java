package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a shuffle when a request last missed a blob: the committed blobs, and the commit if
 * the directories have none. Guarded by its shuffle.
 */
final class CopyView {
    /**
     * The age at which the view is looked up again: another daemon may release the shuffle or
     * commit it again.
     */
    private static final long OLD_NANOS = Duration.ofSeconds(10).toNanos();

    private final String shuffle;
    private final FooterCache<StoredBlob, BlobFooter> footers;
    private final Time time;
    private Map<BlobName, StoredBlob> blobs = new HashMap<>();
    private @Nullable Commitment commitment;
    private long lookedNanos;

    CopyView(String shuffle, FooterCache<StoredBlob, BlobFooter> footers, Time time) {
        this.shuffle = shuffle;
        this.footers = footers;
        this.time = time;
    }

    boolean isEmpty() {
        return commitment == null && blobs.isEmpty();
    }

    /** Whether the copies must be looked up again before use. */
    boolean isOld() {
        return !isEmpty() && time.nanos() - lookedNanos > OLD_NANOS;
    }

    /** The commit of the copies; null if the directories have one, or there is none. */
    @Nullable
    Commitment commitment() {
        return commitment;
    }

    /** The copy of a committed blob. */
    Optional<StoredBlob> blob(BlobName name) {
        return Optional.ofNullable(blobs.get(name));
    }

    /** The copy of an attempt. */
    Optional<StoredBlob> attempt(MapSet.Attempt attempt) {
        return blobs.values().stream()
                .filter(blob ->
                        blob.name().map() == attempt.map() && blob.name().attempt() == attempt.attempt())
                .findFirst();
    }

    /**
     * Replaces the view by a new lookup. A copy that is already known keeps its instance.
     *
     * @param own the commit of the directories; null if they have none
     */
    void take(CopyStore.Found found, CopyStore store, @Nullable Commitment own) {
        commitment = own == null ? found.commitment().orElse(null) : null;
        Commitment present = own == null ? commitment : own;
        Map<BlobName, StoredBlob> next = new HashMap<>();
        if (present != null) {
            for (Commitment.Chosen chosen : present.blobs()) {
                Long length = found.lengths().get(chosen.name().file());
                if (length != null) {
                    StoredBlob.Copy copy = new StoredBlob.Copy(store, length, chosen.fingerprint());
                    StoredBlob before = blobs.get(chosen.name());
                    next.put(
                            chosen.name(),
                            before != null && before.isCopy(copy)
                                    ? before
                                    : new StoredBlob(copy, shuffle, chosen.name(), footers));
                }
            }
        }
        blobs.forEach((name, blob) -> {
            if (next.get(name) != blob) {
                footers.remove(blob);
            }
        });
        blobs = next;
        lookedNanos = time.nanos();
    }

    /** Forgets everything. */
    void clear() {
        blobs.values().forEach(footers::remove);
        blobs = new HashMap<>();
        commitment = null;
    }
}
