package dev.blobshuffle.testkit.internal.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists a directory that running stores, sweepers and daemons change meanwhile. It leaves out files
 * that are deleted during the listing, where {@link Files#walk} would fail. Stateless.
 */
public final class LiveFiles {
    private LiveFiles() {}

    /**
     * All files below a directory, in the order of their paths. Empty if there is no such
     * directory.
     *
     * @throws UncheckedIOException if a directory cannot be read
     */
    public static List<Path> below(Path directory) {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(directory, new Collector(files));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + directory + ": " + e, e);
        }
        files.sort(null);
        return files;
    }

    /** The same, blobs only. */
    public static List<Path> blobs(Path directory) {
        return below(directory).stream()
                .filter(file -> file.toString().endsWith(".blob"))
                .toList();
    }

    private static final class Collector extends SimpleFileVisitor<Path> {
        private final List<Path> files;

        Collector(List<Path> files) {
            this.files = files;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            return goOnUnlessGone(failure);
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            return failure == null ? FileVisitResult.CONTINUE : goOnUnlessGone(failure);
        }

        private static FileVisitResult goOnUnlessGone(IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
