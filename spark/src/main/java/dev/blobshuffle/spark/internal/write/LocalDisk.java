package dev.blobshuffle.spark.internal.write;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much room the executor's disks have. Thread-safe. */
@FunctionalInterface
public interface LocalDisk {
    /** Whether the disk of a file has so little room that outputs should leave it. */
    boolean isTight(Path file);

    /**
     * By free bytes.
     *
     * @param reserve less than this many free bytes are too few
     */
    static LocalDisk reserving(long reserve) {
        return file -> {
            try {
                return Files.getFileStore(file).getUsableSpace() < reserve;
            } catch (IOException e) { // The file is gone.
                return false;
            }
        };
    }
}
