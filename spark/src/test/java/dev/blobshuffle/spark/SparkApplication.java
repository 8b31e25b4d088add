package dev.blobshuffle.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** A small Spark application, with the plug-in or without. Owned by one test. */
final class SparkApplication implements AutoCloseable {
    private final SparkSession session;

    private SparkApplication(Map<String, String> configuration) {
        SparkSession.Builder builder = SparkSession.builder();
        configuration.forEach(builder::config);
        session = builder.getOrCreate();
    }

    /** As Spark runs it by itself. */
    static SparkApplication plain(Path directory, Map<String, String> more) {
        Map<String, String> configuration = new TreeMap<>(Map.of(
                "spark.master", "local[2]",
                "spark.app.name", "test",
                "spark.ui.enabled", "false",
                "spark.driver.host", "127.0.0.1",
                "spark.driver.bindAddress", "127.0.0.1",
                "spark.local.dir", directory.resolve("local").toString(),
                "spark.sql.warehouse.dir", directory.resolve("warehouse").toString(),
                "spark.sql.shuffle.partitions", "5",
                "spark.sql.ansi.enabled", "false"));
        configuration.putAll(more);
        return new SparkApplication(configuration);
    }

    /** With the two settings of the plug-in. */
    static SparkApplication withPlugin(Path directory, Map<String, String> more) {
        Map<String, String> configuration = new TreeMap<>(Map.of(
                "spark.plugins", BlobShufflePlugin.class.getName(),
                "spark.blobshuffle.store", store(directory)));
        configuration.putAll(more);
        return plain(directory, configuration);
    }

    /** The store of {@link #withPlugin}. */
    static String store(Path directory) {
        return "file://" + directory.resolve("store") + "?fsync=none";
    }

    /** The stored blobs of all applications of a directory. */
    static List<Path> blobs(Path directory) {
        Path root = directory.resolve("store");
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".blob"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SparkSession session() {
        return session;
    }

    JavaSparkContext context() {
        return JavaSparkContext.fromSparkContext(session.sparkContext());
    }

    @Override
    public void close() {
        session.stop();
        SparkSession.clearActiveSession();
        SparkSession.clearDefaultSession();
    }
}
