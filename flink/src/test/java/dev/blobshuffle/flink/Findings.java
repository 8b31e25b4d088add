package dev.blobshuffle.flink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What tasks in other processes find: lines in one file of each process, below the directory that
 * a system property names. A line is in the file before the task goes on, so it survives a kill of
 * its process. Without the property nothing is written. Thread-safe.
 */
final class Findings {
    /** The system property that names the directory. */
    static final String DIRECTORY = "flink.findings";

    private static final @Nullable FileChannel OWN = open();

    private Findings() {}

    private static @Nullable FileChannel open() {
        String directory = System.getProperty(DIRECTORY);
        if (directory == null) {
            return null;
        }
        Path file = Path.of(directory, ProcessHandle.current().pid() + "-" + System.nanoTime());
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write findings to " + file + ": " + e.getMessage(), e);
        }
    }

    /** Adds a line to the file of this process, if there is one. */
    static void add(String line) {
        FileChannel file = OWN;
        if (file != null) {
            synchronized (Findings.class) {
                try {
                    ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
                    while (bytes.hasRemaining()) {
                        int ignored = file.write(bytes);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException("Cannot write a finding: " + e.getMessage(), e);
                }
            }
        }
    }

    /** The lines of all processes, but not the last one of a killed process if it has no end. */
    static List<String> in(Path directory) throws IOException {
        List<String> lines = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(lines::add);
            }
        }
        return lines;
    }
}
