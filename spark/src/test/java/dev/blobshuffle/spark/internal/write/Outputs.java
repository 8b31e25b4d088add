package dev.blobshuffle.spark.internal.write;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Makes outputs of maps for tests. Stateless. */
public final class Outputs {
    private Outputs() {}

    /** Random bytes in a file. */
    public static MapOutput of(Path directory, int shuffle, long map, long attempt, long... lengths) {
        int sum = 0;
        for (long length : lengths) {
            sum += Math.toIntExact(length);
        }
        byte[] bytes = new byte[sum];
        new Random(attempt).nextBytes(bytes);
        Path file = directory.resolve(shuffle + "-" + map + "-" + attempt);
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new MapOutput(shuffle, map, attempt, file, lengths, () -> delete(file));
    }

    /** Zeros that need no disk. */
    static MapOutput sparse(Path directory, long length) throws IOException {
        Path file = directory.resolve("sparse");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(length);
        }
        return new MapOutput(1, 0, 10, file, new long[] {length}, () -> delete(file));
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
