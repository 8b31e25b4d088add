package dev.blobshuffle.flightdaemon.internal.server;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Ways to damage stored files. */
final class Damage {
    private Damage() {}

    static void truncate(Path file, long length) throws IOException {
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
            cut.setLength(length);
        }
    }
}
