package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.StoredBlob;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Finds the blobs in one directory of a file store by the names of its files. Other processes may
 * write and delete blobs meanwhile. Blocks its caller for I/O. Thread-safe.
 */
final class DirectoryListing {
    private final Path path;

    DirectoryListing(Path path) {
        this.path = path;
    }

    /**
     * Adds the blobs of a minute. Each blob costs one system call, for the time at which its file
     * was written.
     *
     * @param conversion from the clock of the files to that of the store
     */
    void list(int owner, long generation, UnaryOperator<Instant> conversion, Map<BlobId, StoredBlob> found)
            throws IOException {
        for (String prefix : BlobKey.generation(owner, generation)) {
            try (DirectoryStream<Path> blobs = Files.newDirectoryStream(path.resolve(prefix))) {
                for (Path blob : blobs) {
                    Optional<BlobId> id = BlobKey.parse(prefix + blob.getFileName());
                    if (id.isPresent()) {
                        add(id.get(), blob, conversion, found);
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // This shard has no blob of this minute.
            }
        }
    }

    /** Adds a blob. A failed put may leave the blob in two directories; the younger copy counts. */
    private static void add(BlobId id, Path blob, UnaryOperator<Instant> conversion, Map<BlobId, StoredBlob> found)
            throws IOException {
        try {
            StoredBlob here = new StoredBlob(
                    id,
                    conversion.apply(Files.getLastModifiedTime(blob, LinkOption.NOFOLLOW_LINKS)
                            .toInstant()));
            found.merge(id, here, (one, other) -> one.stored().isAfter(other.stored()) ? one : other);
        } catch (NoSuchFileException e) {
            // The blob has just been deleted.
        }
    }

    void owners(Set<Integer> found) throws IOException {
        try (DirectoryStream<Path> starts = Files.newDirectoryStream(path.resolve(BlobKey.ROOT))) {
            for (Path start : starts) {
                BlobKey.parseOwner(BlobKey.ROOT + start.getFileName() + "/").ifPresent(found::add);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // The store has no blob yet.
        }
    }

    void generations(int owner, Set<Long> found) throws IOException {
        for (int shard = 0; shard < BlobKey.SHARDS; shard++) {
            String prefix = BlobKey.shard(owner, shard);
            Path directory = path.resolve(prefix);
            try (DirectoryStream<Path> generations = Files.newDirectoryStream(directory)) {
                for (Path generation : generations) {
                    addIfUsed(prefix + generation.getFileName() + "/", generation, found);
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // This shard has no blob yet.
            }
        }
    }

    private static void addIfUsed(String prefix, Path generation, Set<Long> found) throws IOException {
        try (DirectoryStream<Path> blobs = Files.newDirectoryStream(generation)) {
            for (Path blob : blobs) {
                var id = BlobKey.parse(prefix + blob.getFileName());
                if (id.isPresent()) {
                    found.add(id.get().generation());
                    return;
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // A sweep is removing it, or the file is not one of ours.
        }
    }

    /** A sample of the blobs. */
    List<BlobId> sample(int most) throws IOException {
        Set<Integer> owners = new LinkedHashSet<>();
        owners(owners);
        Map<BlobId, StoredBlob> found = new LinkedHashMap<>();
        for (int owner : owners) {
            Set<Long> generations = new LinkedHashSet<>();
            generations(owner, generations);
            for (long generation : generations) {
                if (found.size() >= most) {
                    break;
                }
                list(owner, generation, UnaryOperator.identity(), found);
            }
        }
        return found.keySet().stream().limit(most).toList();
    }
}
