package dev.blobshuffle.core.internal.store.directory;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.StoreMarker;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Checks of the paths of a file store, before anything is created in them. Stateless. */
final class DirectoryPaths {
    /** The directories that a store creates in its own directory. */
    private static final Set<String> RESERVED = Set.of("blobs", BlobDirectory.STAGING);

    private DirectoryPaths() {}

    /**
     * Rejects two names of one directory, and a directory inside the blobs of another store.
     *
     * @throws InvalidSettingsException fatal: the list contains such a directory
     */
    static void check(List<Path> directories) {
        for (int i = 0; i < directories.size(); i++) {
            requireOutside(directories.get(i), directories);
            for (int j = 0; j < i; j++) {
                if (isSame(directories.get(j), directories.get(i))) {
                    throw new InvalidSettingsException("Cannot open store file://" + directories.get(j) + ","
                            + directories.get(i)
                            + ": these are two names of one directory. Name each directory once.");
                }
            }
        }
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return one.equals(other) || Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
        } catch (IOException e) {
            return false; // One of them cannot be used; opening it reports that.
        }
    }

    /** A store's sweep and its operators may delete everything below these directories. */
    private static void requireOutside(Path directory, List<Path> named) {
        Path real = real(directory);
        for (Path above = real.getParent(); above != null; above = above.getParent()) {
            String part = above.relativize(real).getName(0).toString();
            if (RESERVED.contains(part) && (Files.exists(above.resolve(StoreMarker.NAME)) || isNamed(above, named))) {
                throw new InvalidSettingsException(
                        "Cannot open store file://" + directory + ": it lies in the directory " + part
                                + " of the store file://" + above + ". Name a directory outside it.");
            }
        }
    }

    private static boolean isNamed(Path directory, List<Path> named) {
        return named.stream().anyMatch(other -> real(other).equals(directory));
    }

    /**
     * Rejects a new store around the files of another one.
     *
     * @throws InvalidSettingsException fatal: a file below {@code blobs} does not belong to a store
     *     in this directory
     */
    static void requireAlone(Path directory) throws IOException {
        Path blobs = directory.resolve("blobs");
        try (DirectoryStream<Path> shards = Files.newDirectoryStream(blobs)) {
            for (Path shard : shards) {
                if (!shard.getFileName().toString().matches("[0-3][0-9a-f]")) {
                    throw new InvalidSettingsException("Cannot create a store in file://" + directory + ": " + shard
                            + " exists, which does not belong to a blob. Another store may be there."
                            + " Choose another directory, or move it.");
                }
            }
        } catch (NoSuchFileException e) {
            return; // There are no blobs yet.
        }
    }

    /** The path without symbolic links, as far as it exists. */
    private static Path real(Path directory) {
        Path absolute = directory.toAbsolutePath().normalize();
        for (Path there = absolute; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(absolute)).normalize();
            } catch (IOException e) {
                continue; // It does not exist yet.
            }
        }
        return absolute;
    }
}
