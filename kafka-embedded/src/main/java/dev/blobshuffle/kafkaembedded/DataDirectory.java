package dev.blobshuffle.kafkaembedded;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a cluster: a log directory per node ({@code node-0}, …), each node's properties
 * and output, and a file with the cluster's id. Owned by the thread that starts and closes the
 * cluster.
 */
final class DataDirectory {
    private static final String IDENTITY_FILE = "cluster.id";

    private final Path root;
    private final boolean isTemporary;

    private DataDirectory(Path root, boolean isTemporary) {
        this.root = root;
        this.isTemporary = isTemporary;
    }

    /**
     * Opens the configured directory, formatted for its number of nodes, or a new temporary
     * directory.
     */
    static DataDirectory open(ClusterConfig config) {
        Optional<Path> named = config.dataDirectory();
        try {
            Path root = named.isPresent()
                    ? Files.createDirectories(named.get().toAbsolutePath())
                    : Files.createTempDirectory("blobshuffle-kafka-");
            DataDirectory opened = new DataDirectory(root, named.isEmpty());
            try {
                opened.format(config.brokers());
                return opened;
            } catch (RuntimeException | IOException e) {
                opened.closeAfter(e);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot open Kafka's data directory: " + e.getMessage() + ", directory "
                            + named.map(Path::toString).orElse("(temporary)") + ". Check path and free space.",
                    e);
        }
    }

    /**
     * Whether the directory is deleted when the cluster is closed. Its nodes then need not save
     * anything.
     */
    boolean isTemporary() {
        return isTemporary;
    }

    Path logDirectory(int node) {
        return root.resolve("node-" + node);
    }

    Path propertiesFile(int node) {
        return root.resolve("node-" + node + ".properties");
    }

    /** The output of the node's processes, over all its lives. */
    Path outputFile(int node) {
        return root.resolve("node-" + node + ".log");
    }

    /**
     * Empties the nodes' log directories if they are temporary. A cluster whose start failed may
     * have registered its brokers already. It would refuse the brokers of the next start until
     * their sessions time out.
     */
    void startOver(int brokers) {
        if (!isTemporary) {
            return;
        }
        try {
            for (int node = 0; node < brokers; node++) {
                deleteTree(logDirectory(node));
            }
            format(brokers);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot empty Kafka's temporary data: " + e.getMessage() + ", directory " + root
                            + ". Check the disk.",
                    e);
        }
    }

    /** Deletes a temporary directory. A named directory stays. */
    void close() {
        if (isTemporary) {
            try {
                deleteTree(root);
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "Cannot delete Kafka's temporary data: " + e.getMessage() + ", directory " + root
                                + ". Delete it by hand.",
                        e);
            }
        }
    }

    /** Closes the directory after a failure. Adds a further failure to the first as suppressed. */
    void closeAfter(Exception failure) {
        try {
            close();
        } catch (UncheckedIOException e) {
            failure.addSuppressed(e);
        }
    }

    private void format(int brokers) throws IOException {
        Path identity = root.resolve(IDENTITY_FILE);
        String suffix = " brokers=" + brokers;
        if (!Files.exists(identity)) {
            Files.writeString(identity, Uuid.randomUuid() + suffix, StandardCharsets.UTF_8);
        }
        String text = Files.readString(identity, StandardCharsets.UTF_8).strip();
        if (!text.endsWith(suffix)) {
            throw new IllegalArgumentException(
                    "Cannot start a Kafka cluster: the data directory belongs to a cluster of"
                            + " another size, directory " + root + " (" + text + "), brokers " + brokers
                            + ". Start it with its own number of brokers, or choose an empty directory.");
        }
        String clusterId = text.substring(0, text.length() - suffix.length());
        for (int node = 0; node < brokers; node++) {
            format(clusterId, node);
        }
    }

    private void format(String clusterId, int node) {
        String directory = logDirectory(node).toString();
        try (PrintStream silent = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            Formatter formatter = new Formatter()
                    .setClusterId(clusterId)
                    .setNodeId(node)
                    .addDirectory(directory)
                    .setMetadataLogDirectory(directory)
                    .setControllerListenerName(BrokerProperties.CONTROLLER_LISTENER)
                    .setIgnoreFormatted(true)
                    .setPrintStream(silent);
            StreamsGroups.enable(formatter);
            formatter.run();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "Cannot format a Kafka log directory: " + e.getMessage() + ", directory " + directory
                            + ". Choose an empty directory.",
                    e);
        }
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (Files.exists(file)) {
                    throw failure;
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
