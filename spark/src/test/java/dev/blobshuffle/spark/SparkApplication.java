package dev.blobshuffle.spark;

import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.owner.LeaseText;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/** A small Spark application, with the plug-in or without. Owned by one test. */
final class SparkApplication implements AutoCloseable {
    /** Of an application that several tests share. */
    private static final int MOST_SHUFFLES = 50;

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

    /** With the two settings of the plug-in, and the third that Spark 3.5 needs. */
    static SparkApplication withPlugin(Path directory, Map<String, String> more) {
        Map<String, String> configuration = new TreeMap<>(Map.of(
                "spark.plugins", BlobShufflePlugin.class.getName(),
                "spark.blobshuffle.store", store(directory)));
        if (version().startsWith("3.5.")) {
            configuration.put("spark.shuffle.manager", Spark35Shuffle.class.getName());
        }
        configuration.putAll(more);
        return plain(directory, configuration);
    }

    /** With two executors of one core, which are processes of their own. Waits for them. */
    static SparkApplication cluster(Path directory, Map<String, String> more) {
        Map<String, String> configuration = new TreeMap<>(Map.of(
                "spark.master", "local-cluster[2,1,512]",
                "spark.executor.memory", "512m",
                "spark.executor.extraClassPath", System.getProperty("java.class.path"),
                "spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"));
        configuration.putAll(more);
        makeHome();
        SparkApplication spark = withPlugin(directory, configuration);
        await().atMost(Duration.ofMinutes(3))
                .until(() -> spark.session().sparkContext().statusTracker().getExecutorInfos().length == 3);
        return spark;
    }

    /** Spark starts executors from a directory with the jars of its own. */
    private static void makeHome() {
        try {
            Path ignored = Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The release of Spark on the class path. */
    static String version() {
        return org.apache.spark.package$.MODULE$.SPARK_VERSION();
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
        List<Path> blobs = new ArrayList<>();
        try {
            Path ignored = Files.walkFileTree(root, new BlobVisitor(blobs));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(blobs);
        return blobs;
    }

    /** Passes over what the store deletes meanwhile. */
    private static final class BlobVisitor extends SimpleFileVisitor<Path> {
        private final List<Path> blobs;

        BlobVisitor(List<Path> blobs) {
            this.blobs = blobs;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".blob")) {
                blobs.add(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
        }
    }

    /** The names of the applications that have a lease in the store of a directory. */
    static List<String> leases(Path directory) {
        try (SystemTime time = new SystemTime();
                BlobStore store = BlobStores.openUnchecked(store(directory), StoreContext.unmetered(time))) {
            return new LeaseRegister(store, time)
                    .read().leases().values().stream().map(LeaseText.Line::name).toList();
        }
    }

    /** Removes all leases, as sweeps do that have deleted the blobs. */
    static void takeLeases(Path directory) throws InterruptedException {
        try (SystemTime time = new SystemTime();
                BlobStore store = BlobStores.openUnchecked(store(directory), StoreContext.unmetered(time))) {
            LeaseRegister register = new LeaseRegister(store, time);
            for (int owner : register.read().leases().keySet()) {
                register.remove(owner);
            }
        }
    }

    /** Removes the shuffles so far, as Spark does some time after the last reference is gone. */
    void removeShuffles() {
        for (int shuffle = 0; shuffle < MOST_SHUFFLES; shuffle++) {
            session.sparkContext().cleaner().get().doCleanupShuffle(shuffle, true);
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
