package dev.blobshuffle.flightdaemon.internal.blob;

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
 * The blobs of a shuffle in the directories and in memory, by name, as of the last listing. A blob
 * that is still present keeps its instance. Guarded by its shuffle.
 */
final class BlobIndex {
    /**
     * The resolution assumed for the clock of a file system. A change this soon after a listing may
     * leave the directory's time unchanged.
     */
    private static final long COARSE_MILLIS = 2_000;

    private final String shuffle;
    private final List<BlobRoot> roots;
    private final FooterCache<StoredBlob, BlobFooter> footers;
    private final Time time;
    private final TreeMap<BlobName, StoredBlob> blobs = new TreeMap<>();

    /** The modification time of each directory at the last listing; empty if it is uncertain. */
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

    /**
     * Whether a directory may have changed since the last listing. Checks the directories' times.
     */
    boolean mayHaveChanged() {
        return !changes().equals(listedAt);
    }

    /** Whether a directory had the shuffle at the last listing. */
    boolean isInDirectories() {
        return isInDirectories;
    }

    /**
     * Lists the directories. If the consumer of the commit fails, the next call to
     * {@link #mayHaveChanged} returns true, and the directories are listed again.
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

    /** The blobs of all attempts of a map, by attempt. */
    Collection<StoredBlob> attempts(long map) {
        return blobs.subMap(
                        new BlobName(map, 0, BlobName.FIRST),
                        true,
                        new BlobName(map, Long.MAX_VALUE, BlobName.LAST),
                        true)
                .values();
    }

    /** The highest map number. */
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
