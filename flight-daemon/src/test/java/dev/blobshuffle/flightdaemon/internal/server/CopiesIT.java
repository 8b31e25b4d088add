package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies in a store, and daemons that serve them after a host, a disk or a file is lost. */
class CopiesIT {
    private static final int MAPS = 6;
    private static final int FRAME = 100_000;

    private final SystemTime time = new SystemTime();
    private final List<Path> blobs = new ArrayList<>();

    @TempDir
    private Path files;

    private Path directory;
    private Path copies;
    private byte[] expected;

    @BeforeEach
    void write() throws IOException {
        directory = Files.createDirectory(files.resolve("host-a"));
        copies = Files.createDirectory(files.resolve("copies"));
        expected = write("s", MAPS);
    }

    /** Writes a shuffle and returns the stream of partition 0. */
    private byte[] write(String shuffle, int maps) throws IOException {
        ArrowStore store = new ArrowStore(directory);
        List<byte[]> all = new ArrayList<>();
        for (int map = 0; map < maps; map++) {
            List<byte[]> frames = List.of(store.batch(FRAME), store.batch(16 + 8 * map));
            all.addAll(frames);
            blobs.add(store.write(shuffle, map, 0, List.of(frames, List.of(store.batch(8)))));
        }
        return ArrowStore.stream(all);
    }

    @AfterEach
    void close() {
        time.close();
    }

    private FlightDaemon start(Path host, Path store) {
        FlightConfig config = Daemons.withCopies(Daemons.insecure(Map.of("default", List.of(host))), "file://" + store);
        return FlightDaemon.start(
                Daemons.withHttp(config, HttpConfig.Transport.AS_FLIGHT, HttpConfig.Limits.DEFAULT), time);
    }

    private Path anotherHost() throws IOException {
        return Files.createTempDirectory(files, "host-");
    }

    private static byte[] read(FlightShuffles client, String shuffle) throws IOException {
        try (InputStream stream = client.read(shuffle, 0)) {
            return stream.readAllBytes();
        }
    }

    private static long stat(FlightShuffles client, String name) {
        return JsonParser.parseString(client.stats())
                .getAsJsonObject()
                .get(name)
                .getAsLong();
    }

    private static void await(FlightShuffles client, Predicate<JsonObject> reached) {
        Daemons.patiently("the daemon's statistics")
                .until(() -> JsonParser.parseString(client.stats()).getAsJsonObject(), reached);
    }

    private static Predicate<JsonObject> isCopied(int count) {
        return stats -> stats.get("copied_blobs").getAsInt() == count
                && stats.get("copy_pending_blobs").getAsInt() == 0;
    }

    private Path copy(Path blob) {
        return copies.resolve("shuffles")
                .resolve("s")
                .resolve(blob.getFileName().toString());
    }

    private Path commit() {
        return copies.resolve("shuffles").resolve("s").resolve("flight.commit");
    }

    private void awaitCommit() {
        Daemons.patiently("the copy of the commit").until(() -> Files.exists(commit()));
    }

    /** Copies the shuffle, then removes the host. */
    private void copyAndLoseHost() throws IOException {
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            awaitCommit();
            assertThat(read(client, "s")).isEqualTo(expected);
            assertThat(stat(client, "copy_reads")).isZero();
        }
        delete(directory);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aLostHostIsServedFromItsCopy() throws IOException {
        copyAndLoseHost();
        byte[] blob = Files.readAllBytes(copy(blobs.get(3)));
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThat(read(client, "s")).isEqualTo(expected);
            assertThat(stat(client, "copy_reads")).isPositive();
            client.commit("s", MAPS);
            client.renew("s");

            try (HttpClientSocket http = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
                String path = "/default/s/" + blobs.get(3).getFileName();
                assertThat(http.ask("GET", path, "").body()).isEqualTo(blob);
                HttpClientSocket.Answer part = http.ask("GET", path, "Range: bytes=7-90000\r\n");
                assertThat(part.status()).isEqualTo(206);
                assertThat(part.body()).isEqualTo(Arrays.copyOfRange(blob, 7, 90_001));
                assertThat(http.ask("HEAD", path, "").head().length()).isEqualTo(blob.length);
                assertThat(http.ask("GET", "/default/s/" + blobs.get(3).getFileName() + "x", "")
                                .status())
                        .isEqualTo(404);
            }
            assertThatThrownBy(() -> read(client, "t")).isInstanceOf(BlobMissingException.class);
            assertThatThrownBy(() -> client.commit("s", MAPS - 1)).hasMessageContaining("Commit the right number");
        }
    }

    /** The blob is several pieces long, so pieces follow each other. */
    @Test
    void aLongBlobIsSentByHttpPieceByPiece() throws IOException {
        ArrowStore store = new ArrowStore(directory);
        Path blob = store.write("long", 0, 0, List.of(List.of(store.batch(4 << 20), store.batch(7 << 20))));
        byte[] bytes = Files.readAllBytes(blob);
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("long", 1);
            await(client, isCopied(1));
        }
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon);
                HttpClientSocket http = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
            String path = "/default/long/" + blob.getFileName();
            assertThat(http.ask("GET", path, "").body()).isEqualTo(bytes);
            assertThat(http.ask("GET", path, "Range: bytes=-5000000\r\n").body())
                    .isEqualTo(Arrays.copyOfRange(bytes, bytes.length - 5_000_000, bytes.length));
            await(client, stats -> stats.get("memory_used_bytes").getAsLong() == 0);
        }
    }

    @Test
    void aLostFileIsServedFromItsCopyAndTheOthersFromTheDirectory() throws IOException {
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            await(client, isCopied(MAPS));
            // The daemon must not read these copies, because it has the local blobs.
            for (Path blob : blobs) {
                if (blob != blobs.get(2)) {
                    Files.write(copy(blob), new byte[10]);
                }
            }
            assertThat(read(client, "s")).isEqualTo(expected);
            assertThat(stat(client, "copy_reads")).isZero();

            Files.delete(blobs.get(2));
            assertThat(read(client, "s")).isEqualTo(expected);
            assertThat(stat(client, "copy_reads")).isPositive();
        }
    }

    @Test
    void aDamagedCopyFailsTheRead() throws IOException {
        copyAndLoseHost();
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            flip(copy(blobs.get(4)), FRAME / 2);
            assertThatThrownBy(() -> read(client, "s"))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("map 4")
                    .hasMessageContaining("its copy in file://" + copies)
                    .hasMessageContaining("checksum");
        }
    }

    @Test
    void aTruncatedCopyFailsTheRead() throws IOException {
        copyAndLoseHost();
        long length = Files.size(copy(blobs.get(4)));
        Damage.truncate(copy(blobs.get(4)), length - 1);
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThatThrownBy(() -> read(client, "s"))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("map 4");
            try (HttpClientSocket http = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
                assertThat(http.ask("GET", "/default/s/" + blobs.get(4).getFileName(), "")
                                .status())
                        .isEqualTo(409);
            }
        }
    }

    /**
     * The daemon has found the copy before it is truncated or deleted. It must not skip the copy's
     * rows.
     */
    @Test
    void aCopyThatIsCutWhileItIsServedFailsTheRead() throws IOException {
        copyAndLoseHost();
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThat(read(client, "s")).isEqualTo(expected);
            Damage.truncate(copy(blobs.get(5)), 1000);
            assertThatThrownBy(() -> read(client, "s")).isInstanceOf(BlobCorruptException.class);
            Files.delete(copy(blobs.get(5)));
            assertThatThrownBy(() -> read(client, "s")).isInstanceOf(BlobMissingException.class);
        }
    }

    @Test
    void aMissingCopyIsALostMap() throws IOException {
        copyAndLoseHost();
        Files.delete(copy(blobs.get(1)));
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThatThrownBy(() -> read(client, "s"))
                    .isInstanceOf(BlobMissingException.class)
                    .hasMessageContaining("LOST(1)");
        }
    }

    @Test
    void aLostMapThatRanAgainJoinsTheCopiesOfTheOthers() throws IOException {
        copyAndLoseHost();
        Files.delete(copy(blobs.get(1)));
        directory = anotherHost();
        ArrowStore store = new ArrowStore(directory);
        byte[] batch = store.batch(40);
        store.write("s", 1, 1, List.of(List.of(batch)));
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            await(client, isCopied(1));
        }
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThat(read(client, "s"))
                    .hasSize(expected.length - FRAME - 24 + 40 - 40)
                    .containsSequence(batch);
        }
    }

    private static void flip(Path file, long offset) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            int before = open.read();
            open.seek(offset);
            open.write(before ^ 1);
        }
    }

    @Test
    void aReleaseDeletesTheCopies() throws IOException {
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            awaitCommit();
            client.release("s");
            assertThat(commit().getParent()).doesNotExist();
            assertThatThrownBy(() -> read(client, "s")).isInstanceOf(BlobMissingException.class);
        }
    }

    /** Blobs may still be on their way at the release. */
    @Test
    void aReleaseDuringTheCopyLeavesNothing() throws IOException {
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            for (int round = 0; round < 10; round++) {
                client.commit("s", MAPS);
                client.release("s");
                await(
                        client,
                        stats ->
                                stats.get("copy_pending_blobs").getAsInt() == 0 || !Files.exists(commit().getParent()));
                expected = write("s", MAPS);
            }
            client.release("s");
            Daemons.patiently("the end of the copies").until(() -> !Files.exists(commit().getParent()));
        }
    }

    @Test
    void aDamagedCommitStopsNoOtherShuffleFromBeingCopiedAfterARestart() throws IOException {
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            await(client, isCopied(MAPS));
        }
        delete(commit().getParent());
        write("damaged", 1);
        Files.writeString(directory.resolve("shuffles").resolve("damaged").resolve("flight.commit"), "nothing");
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            await(client, isCopied(MAPS));
            assertThatThrownBy(() -> read(client, "damaged")).isInstanceOf(BlobCorruptException.class);

            client.release("damaged");
            assertThat(directory.resolve("shuffles").resolve("damaged")).doesNotExist();
        }
    }

    /** A commit in the store states that all blobs are there. */
    @Test
    void aDaemonThatIsClosedWhileItCopiesStoresNoCommit() throws Exception {
        ArrowStore store = new ArrowStore(directory);
        for (int map = 0; map < 40; map++) {
            store.write("many", map, 0, List.of(List.of(store.batch(4 << 20))));
        }
        Path copied = copies.resolve("shuffles").resolve("many");
        try (FlightDaemon daemon = start(directory, copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("many", 40);
            await(client, stats -> stats.get("copied_blobs").getAsInt() > 1);
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("blobshuffle-flight-copy")) {
                thread.join(60_000);
            }
        }
        assertThat(copied.toFile().list()).hasSizeBetween(2, 39);
        assertThat(copied.resolve("flight.commit")).doesNotExist();
    }

    @Test
    void anotherHostReleasesToo() throws IOException {
        copyAndLoseHost();
        try (FlightDaemon daemon = start(anotherHost(), copies);
                FlightShuffles client = Daemons.client(daemon)) {
            client.release("s");
            assertThat(commit().getParent()).doesNotExist();
            assertThatThrownBy(() -> read(client, "s")).isInstanceOf(BlobMissingException.class);
        }
    }

    @Test
    void aStoreThatIsAwayStopsNothingAndGetsTheCopiesLater() throws IOException {
        Path absent = files.resolve("absent");
        try (FlightDaemon daemon = start(directory, absent);
                FlightShuffles client = Daemons.client(daemon)) {
            client.commit("s", MAPS);
            assertThat(read(client, "s")).isEqualTo(expected);
            await(
                    client,
                    stats -> stats.get("copy_failures").getAsInt() > 0
                            && stats.get("copy_failed_blobs").getAsInt() == MAPS
                            && stats.get("copy_failed_bytes").getAsLong() > (long) MAPS * FRAME
                            && stats.get("copy_pending_blobs").getAsInt() == MAPS);
            assertThatThrownBy(() -> read(client, "t")).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> client.release("s")).isInstanceOf(StoreUnavailableException.class);
            assertThat(read(client, "s")).isEqualTo(expected);

            Files.createDirectory(absent);
            await(client, isCopied(MAPS));
            assertThat(stat(client, "copy_failed_blobs")).isZero();
            Daemons.patiently("the copy of the commit")
                    .until(() ->
                            Files.exists(absent.resolve("shuffles").resolve("s").resolve("flight.commit")));
        }
    }

    @Test
    void readersOfAStoreThatRestsAreRefusedWithoutALineEach() throws IOException {
        try (FlightDaemon daemon = start(directory, files.resolve("absent"));
                FlightShuffles client = Daemons.client(daemon);
                CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> read(client, "t"))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("absent");
            }
            assertThat(log.with("cannot be used")).hasSizeBetween(1, 10);
        }
    }

    @Test
    void aBlobInMemoryHasACopyToo() throws IOException {
        FlightConfig.Budgets budgets = new FlightConfig.Budgets(
                FlightConfig.LEAST_MEMORY, 64 << 20, FlightConfig.LEAST_PUT_MEMORY, 32 << 20, Daemons.BUDGETS.quota());
        FlightConfig config = Daemons.withCopies(
                Daemons.withBudgets(Daemons.insecure(Map.of("default", List.of(directory))), budgets),
                "file://" + copies);
        byte[] rows = new byte[64];
        byte[] first;
        try (FlightDaemon daemon = FlightDaemon.start(config, time);
                FlightShuffles client = Daemons.client(daemon)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            String answer = new RawPut(channel)
                    .begin("default", "memory", 0, 0, 1)
                    .batch(0, 1, rows)
                    .rows(1)
                    .finish();
            channel.shutdownNow();
            assertThat(answer).contains("\"in_memory\":true");
            client.commit("memory", 1);
            await(client, isCopied(1));
            first = read(client, "memory");
        }
        assertThat(directory.resolve("shuffles").resolve("memory")).doesNotExist();
        try (FlightDaemon daemon = FlightDaemon.start(config, time);
                FlightShuffles client = Daemons.client(daemon)) {
            assertThat(read(client, "memory")).isEqualTo(first);
        }
    }

    @Test
    void aStoreThatCannotKeepCopiesIsRefused() {
        for (String uri : List.of("memory://m", "/mnt/copies", "file:///a,/b")) {
            FlightConfig plain = Daemons.insecure(Map.of("default", List.of(directory)));
            assertThatThrownBy(() -> FlightDaemon.start(Daemons.withCopies(plain, uri), time))
                    .isInstanceOf(InvalidSettingsException.class);
        }
    }
}
