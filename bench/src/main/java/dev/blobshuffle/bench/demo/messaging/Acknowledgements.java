package dev.blobshuffle.bench.demo.messaging;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The numbers of the records whose publishes were acknowledged to one life of a publisher, in a
 * file that outlives the process. Thread-safe.
 */
final class Acknowledgements implements AutoCloseable {
    private static final String SUFFIX = ".acknowledged";

    private final DataOutputStream out;

    /** An empty file in a directory. */
    Acknowledgements(Path directory, String publisher) throws IOException {
        // Not buffered, so written numbers survive the process.
        out = new DataOutputStream(Files.newOutputStream(directory.resolve(publisher + SUFFIX)));
    }

    /** Records the number of an acknowledged record. */
    synchronized void add(long number) {
        try {
            out.write(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * All records that were acknowledged to publishers with files in a directory. Their times are
     * 0.
     */
    static Set<OrderRecord> all(Path directory) throws IOException {
        Set<OrderRecord> all = new HashSet<>();
        for (Path file : files(directory)) {
            String name = String.valueOf(file.getFileName());
            String publisher = name.substring(0, name.length() - SUFFIX.length());
            ByteBuffer numbers = ByteBuffer.wrap(Files.readAllBytes(file));
            while (numbers.remaining() >= Long.BYTES) {
                all.add(new OrderRecord(publisher, numbers.getLong(), 0));
            }
        }
        return all;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return new ArrayList<>(
                    files.filter(file -> file.toString().endsWith(SUFFIX)).toList());
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
