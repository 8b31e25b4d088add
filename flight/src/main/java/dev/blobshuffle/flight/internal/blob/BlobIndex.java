package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.internal.container.FooterCache;
import dev.blobshuffle.core.time.Time;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The blobs that the directories and the memory have of a shuffle, by name, as of the last listing.
 * A blob that is still there stays the same instance. Guarded by its shuffle.
 */
final class BlobIndex {
    /**
     * Clocks of file systems are coarse: a change this soon after a listing may not change the
     * directory's time.
     */
    private static final long COARSE_MILLIS = 2_000;

    private final String shuffle;
    private final List<BlobRoot> roots;
    private final FooterCache<StoredBlob, BlobFooter> footers;
    private final Time time;
    private final TreeMap<BlobName, StoredBlob> blobs = new TreeMap<>();

    /** When each directory had changed at the last listing; empty if that is not certain. */
    private List<Long> listedAt = List.of();

    private boolean isInDirectories;

    BlobIndex(String shuffle, List<BlobRoot> roots, FooterCache<StoredBlob, BlobFooter> footers, Time time) {
        this.shuffle = shuffle;
        this.roots = roots;
        this.footers = footers;
        this.time = time;
    }

    private List<Long> changes() {
        List<Long> changes = roots.stream()
                .map(root -> root.changedMillis(shuffle).orElse(0))
                .toList();
        isInDirectories = changes.stream().anyMatch(change -> change != 0);
        return changes;
    }

    /** Looks at the directories. */
    boolean mayHaveChanged() {
        return !changes().equals(listedAt);
    }

    /** Whether a directory had the shuffle when they were last looked at. */
    boolean isInDirectories() {
        return isInDirectories;
    }

    /**
     * Lists the directories. If what takes the commit fails, the next call to {@link
     * #mayHaveChanged} says so, and they are listed again.
     *
     * @param whenCommitted takes a directory that has the commit
     */
    void list(Consumer<BlobRoot> whenCommitted) {
        List<Long> changes = changes();
        long now = time.wallMillis();
        boolean isSettled = changes.stream().allMatch(change -> Math.abs(now - change) > COARSE_MILLIS);
        listedAt = List.of();
        Map<BlobName, StoredBlob> before = new TreeMap<>(blobs);
        Optional<BlobRoot> committing = Optional.empty();
        blobs.clear();
        for (BlobRoot root : roots) {
            for (String file : root.files(shuffle).orElse(List.of())) {
                BlobName.parse(file).ifPresent(name -> blobs.computeIfAbsent(name, key -> blob(root, key, before)));
                if (file.equals(Commitment.FILE) && committing.isEmpty()) {
                    committing = Optional.of(root);
                }
            }
        }
        before.forEach((name, blob) -> {
            if (blob.isInMemory()) {
                blobs.putIfAbsent(name, blob);
            }
            if (!has(blob)) {
                footers.remove(blob);
            }
        });
        committing.ifPresent(whenCommitted);
        if (isSettled) {
            listedAt = changes;
        }
    }

    private StoredBlob blob(BlobRoot root, BlobName name, Map<BlobName, StoredBlob> before) {
        StoredBlob known = before.get(name);
        return known == null ? new StoredBlob(root, shuffle, name, footers) : known;
    }

    boolean isEmpty() {
        return blobs.isEmpty();
    }

    int size() {
        return blobs.size();
    }

    Collection<StoredBlob> all() {
        return blobs.values();
    }

    Optional<StoredBlob> find(BlobName name) {
        return Optional.ofNullable(blobs.get(name));
    }

    boolean has(StoredBlob blob) {
        return blobs.get(blob.name()) == blob;
    }

    /** The blobs of a map, by attempt. */
    Collection<StoredBlob> attempts(long map) {
        return blobs.subMap(
                        new BlobName(map, 0, BlobName.FIRST),
                        true,
                        new BlobName(map, Long.MAX_VALUE, BlobName.LAST),
                        true)
                .values();
    }

    /** The highest number of a map. */
    OptionalLong lastMap() {
        return blobs.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(blobs.lastKey().map());
    }

    /** Adds a blob that is in memory. */
    void add(StoredBlob blob) {
        blobs.put(blob.name(), blob);
    }

    void clear() {
        blobs.clear();
        listedAt = List.of();
    }
}
