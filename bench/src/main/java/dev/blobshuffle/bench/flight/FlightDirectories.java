package dev.blobshuffle.bench.flight;

import java.nio.file.Path;

/**
 * The directories of the benchmark.
 *
 * @param project the directory {@code python} of a checkout
 * @param interpreter the command that starts Python, 3.10 or newer
 * @param cache for packages and rows, which are kept
 * @param files for the files that systems write, which are deleted
 */
public record FlightDirectories(Path project, String interpreter, Path cache, Path files) {}
