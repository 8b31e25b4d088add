package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.spark.internal.directory.BlobDirectory;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import dev.blobshuffle.spark.internal.directory.DirectoryClient;
import dev.blobshuffle.spark.internal.directory.ExecutorMembers;
import dev.blobshuffle.spark.internal.directory.TestApplication;
import dev.blobshuffle.spark.internal.directory.Whereabouts;
import dev.blobshuffle.spark.internal.read.BlobBlockClient;
import dev.blobshuffle.spark.internal.read.ShuffleWindows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A blob is lost or damaged while its partitions are read, and the cache has its first window. A
 * blob has two maps and three windows.
 */
class FaultsDuringReadsIT {
    private static final int WINDOW = 64 << 10;

    /** In the first window, which all tasks before it have read too. */
    private static final int PARTITION = ManyBlocks.PARTITIONS / 5;

    private static final long EXPECTED = ManyBlocks.expected();
    private static final BlobId UNREAD = new BlobId(1, 2, 3);

    /** All tests share an application. */
    @TempDir
    private static Path directory;

    private static @Nullable SparkApplication spark;

    @FunctionalInterface
    private interface Harm {
        void to(Path blob) throws IOException;
    }

    @BeforeAll
    static void start() {
        Map<String, String> settings = Map.of(
                "spark.blobshuffle.durability", "sync",
                "spark.blobshuffle.sync.wait.ms", "600000",
                "spark.blobshuffle.read.window.bytes", String.valueOf(WINDOW),
                "spark.shuffle.compress", "false");
        spark = SparkApplication.withPlugin(directory, settings);
    }

    @AfterAll
    static void stop() {
        application().close();
    }

    private static SparkApplication application() {
        return Objects.requireNonNull(spark);
    }

    @AfterEach
    void stopHarm() {
        ManyBlocks.WHEN_READ.set(partition -> {});
        application().removeShuffles();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> SparkApplication.blobs(directory).isEmpty());
    }

    @Test
    void theMapsOfADeletedBlobRunAgain() {
        assertRunsAgain(2, Files::delete);
    }

    @Test
    void theMapsOfATruncatedBlobRunAgain() {
        assertRunsAgain(2, blob -> {
            byte[] bytes = Files.readAllBytes(blob);
            Files.write(blob, Arrays.copyOf(bytes, WINDOW + WINDOW / 2));
        });
    }

    @Test
    void theMapsOfABlobWithAFlippedBitRunAgain() {
        assertRunsAgain(2, blob -> flip(blob, WINDOW + WINDOW / 2));
    }

    /** The cache has the bytes that were written, and they are verified. */
    @Test
    void aFlippedBitBehindTheCacheCostsNothing() {
        assertRunsAgain(0, blob -> flip(blob, WINDOW / 2));
    }

    /** The class of a request's answer is missing, or there is no memory for it. */
    @Test
    void aReadThatEndsByAnErrorIsAnswered() {
        DirectoryClient failing = new DirectoryClient(
                request -> {
                    throw new NoClassDefFoundError("planted");
                },
                new Whereabouts.Endpoint("1", "host", 7),
                Zone.SINGLE);
        assertThat(failures(failing, 1)).first().hasToString("java.lang.NoClassDefFoundError: planted");
    }

    /** The second read knows where the blob is, and goes on in the task's thread. */
    @Test
    void aReadWithoutAnIndexFileIsAnswered() {
        DirectoryClient directory = new DirectoryClient(
                new BlobDirectory(new TestApplication())::answer,
                new Whereabouts.Endpoint("1", "host", 7),
                Zone.SINGLE);
        boolean ignored = directory.open(UNREAD, 0);

        assertThat(failures(directory, 2))
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure).hasMessageContaining("was not uploaded yet"));
    }

    /** The answers to some reads of a block, one after the other. */
    private static List<Throwable> failures(DirectoryClient directory, int reads) {
        try (SystemTime time = new SystemTime();
                MemoryBlobStore store = new MemoryBlobStore("test", WINDOW);
                BlobBlockClient client = new BlobBlockClient(reading(store), directory, new LostFiles(), time)) {
            List<Throwable> failures = new ArrayList<>();
            for (int i = 0; i < reads; i++) {
                CompletableFuture<Throwable> answer = new CompletableFuture<>();
                client.fetchBlocks(
                        "host",
                        1,
                        BlobLocation.executor(UNREAD),
                        new String[] {"shuffle_9999_0_0"},
                        new Failure(answer),
                        null);
                assertThat(answer).succeedsWithin(Duration.ofMinutes(2));
                failures.add(answer.join());
            }
            return failures;
        }
    }

    private static BlobBlockClient.Reading reading(BlobStore store) {
        return new BlobBlockClient.Reading(
                store,
                Duration.ofMinutes(1),
                Duration.ZERO,
                new ShuffleWindows(WINDOW, () -> 0),
                new ExecutorMembers());
    }

    /** They were there a moment ago. */
    private record LostFiles() implements BlobBlockClient.OwnFiles {
        @Override
        public boolean has(int shuffle, long attempt) {
            return true;
        }

        @Override
        public boolean keeps(int shuffle, long attempt) {
            return false;
        }
    }

    private record Failure(CompletableFuture<Throwable> answer) implements BlockFetchingListener {
        @Override
        public void onBlockFetchSuccess(String block, ManagedBuffer bytes) {
            answer.completeExceptionally(new IllegalStateException(block + " was read"));
        }

        @Override
        public void onBlockFetchFailure(String block, Throwable failure) {
            answer.complete(failure);
        }
    }

    private static void flip(Path blob, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(blob);
        bytes[at] ^= 1;
        Files.write(blob, bytes);
    }

    private void assertRunsAgain(int maps, Harm harm) {
        ManyBlocks shuffle = ManyBlocks.of(application());
        AtomicBoolean isDone = new AtomicBoolean();
        ManyBlocks.WHEN_READ.set(partition -> {
            if (partition == PARTITION && isDone.compareAndSet(false, true)) {
                harmFirst(harm);
            }
        });

        assertThat(shuffle.sum()).isEqualTo(EXPECTED);
        assertThat(isDone).isTrue();
        assertThat(shuffle.runs().value()).isEqualTo(ManyBlocks.MAPS + maps);
    }

    private void harmFirst(Harm harm) {
        try {
            List<Path> blobs = SparkApplication.blobs(directory);
            assertThat(blobs).hasSize(ManyBlocks.MAPS / 2);
            Path victim = blobs.get(0);
            assertThat(Files.size(victim)).isBetween(2L * WINDOW, 3L * WINDOW);
            assertThat(StoredMaps.count(victim)).isEqualTo(2);
            harm.to(victim);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
