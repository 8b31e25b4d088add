package dev.blobshuffle.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a benchmark whose programs are in Python.
 *
 * @param project the directory {@code python} of a checkout
 * @param interpreter the command that starts Python, 3.10 or newer
 * @param cache for packages and rows, which are kept
 * @param files for the files that systems write, which are deleted
 */
public record PythonDirectories(Path project, String interpreter, Path cache, Path files) {
    /**
     * Creates the directories that do not exist.
     *
     * @param cache if it is null, the one of this user
     * @param files if it is null, the system's temporary directory
     */
    public static PythonDirectories of(Path project, String interpreter, @Nullable Path cache, @Nullable Path files)
            throws IOException {
        Path kept = cache != null ? cache : Path.of(System.getProperty("user.home"), ".cache", "blobshuffle");
        Path deleted = files != null ? files : Path.of(System.getProperty("java.io.tmpdir"));
        return new PythonDirectories(
                project.toAbsolutePath(),
                interpreter,
                Files.createDirectories(kept).toAbsolutePath(),
                Files.createDirectories(deleted).toAbsolutePath());
    }
}
