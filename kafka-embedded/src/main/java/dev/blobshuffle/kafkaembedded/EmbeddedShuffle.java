package dev.blobshuffle.kafkaembedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Comparator;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A broker and a store for tests of applications that shuffle through blobs: one broker in this JVM
 * and a directory for the blobs. A Kafka Streams application runs through both with
 * {@link #settings}, if {@code blobshuffle-kstreams} is on the class path. Thread-safe.
 */
public final class EmbeddedShuffle implements AutoCloseable {
    private static final String SUPPLIER = "dev.blobshuffle.kstreams.BlobShuffleClientSupplier";

    /** Allows for a slow machine that builds and tests at the same time. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    private final EmbeddedKafka kafka;
    private final Path directory;

    private EmbeddedShuffle(EmbeddedKafka kafka, Path directory) {
        this.kafka = kafka;
        this.directory = directory;
    }

    /**
     * Starts the broker, which takes a few seconds the first time in a JVM.
     *
     * @throws IllegalStateException if it does not start within five minutes
     */
    public static EmbeddedShuffle start() {
        try {
            Path directory = Files.createTempDirectory("blobshuffle-test-");
            return new EmbeddedShuffle(
                    EmbeddedKafka.builder().startTimeout(START_TIMEOUT).start(), directory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot make a directory for the blobs: " + e.getMessage() + ". Set -Djava.io.tmpdir.", e);
        }
    }

    /**
     * Settings of a Kafka Streams application: the broker, the store, and settings for fast tests.
     * All records go through blobs ({@code blobshuffle.inline.max.bytes} is 0), commits and batches
     * wait 50 ms, and tables send each update. Add the application's own settings.
     *
     * @param applicationId {@code application.id}; use a different one for each test
     */
    public Properties settings(String applicationId) {
        Properties settings = new Properties();
        settings.setProperty("application.id", applicationId);
        settings.setProperty("bootstrap.servers", bootstrapServers());
        settings.setProperty("state.dir", directory.resolve("state").toString());
        settings.setProperty("auto.offset.reset", "earliest");
        settings.setProperty("replication.factor", "1");
        settings.setProperty("commit.interval.ms", "50");
        settings.setProperty("statestore.cache.max.bytes", "0");
        settings.setProperty("default.client.supplier", SUPPLIER);
        settings.setProperty("blobshuffle.store", storeUri());
        settings.setProperty("blobshuffle.inline.max.bytes", "0");
        settings.setProperty("blobshuffle.batch.max.delay.ms", "50");
        return settings;
    }

    /** {@code bootstrap.servers} of the broker. */
    public String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    /** {@code blobshuffle.store}: the directory of the blobs. */
    public String storeUri() {
        return "file://" + store();
    }

    /**
     * Creates a topic.
     *
     * @throws IllegalStateException if the broker refuses it
     */
    public void createTopic(String name, int partitions) {
        kafka.createTopic(name, partitions);
    }

    /** Number of blobs in the store. A positive number proves that records went through it. */
    public long blobs() {
        BlobCount count = new BlobCount();
        try {
            Files.walkFileTree(store(), count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return count.blobs;
    }

    private Path store() {
        return directory.resolve("blobs");
    }

    /**
     * Stops the broker, and deletes its data and the blobs. Close applications before. Idempotent.
     */
    @Override
    public void close() {
        kafka.close();
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot delete " + directory + ": " + e.getMessage() + ". Close the application first.", e);
        }
    }

    /**
     * Counts blobs. The application changes the store meanwhile, so files and directories may
     * disappear.
     */
    private static final class BlobCount extends SimpleFileVisitor<Path> {
        private long blobs;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".blob")) {
                blobs++;
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }
}
