package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import io.grpc.ManagedChannel;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads blobs of a directory over a real connection, intact and damaged. */
class FlightDaemonIT {
    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    @TempDir
    private Path others;

    private ArrowStore store;
    private FlightDaemon daemon;
    private FlightShuffles client;

    @BeforeEach
    void start() {
        store = new ArrowStore(directory);
        daemon = FlightDaemon.start(
                Daemons.insecure(Map.of("default", List.of(directory), "other", List.of(others))), time);
        client = Daemons.client(daemon);
    }

    @AfterEach
    void close() {
        client.close();
        daemon.close();
        time.close();
    }

    private static byte[] all(InputStream stream) throws IOException {
        try (stream) {
            return stream.readAllBytes();
        }
    }

    @Test
    void aPartitionHasTheFramesOfAllMapsInOrder() throws IOException {
        byte[] a = store.batch(1000);
        byte[] b = store.batch(5 << 20);
        byte[] c = store.batch(8);
        store.write("s", 1, 0, List.of(List.of(c), List.of(), List.of()));
        store.write("s", 0, 0, List.of(List.of(a, b), List.of(c), List.of()));
        client.commit("s", 2);

        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(List.of(a, b, c)));
        assertThat(all(client.read("s", 1))).isEqualTo(ArrowStore.stream(List.of(c)));
        assertThat(all(client.read("s", 2))).isEqualTo(ArrowStore.stream(List.of()));
    }

    @Test
    void framesOfEachSizeArriveAsTheyAre() throws IOException {
        int[] sizes = {0, 8, 32 << 10, 50_000, 300_000, (1 << 20) - 40, 1 << 20, (1 << 20) + 8, 9 << 20, 16, 70_000};
        List<byte[]> frames = Arrays.stream(sizes).mapToObj(store::batch).toList();
        store.write("s", 0, 0, List.of(frames));
        client.commit("s", 1);

        for (int i = 0; i < 3; i++) {
            assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(frames));
        }
    }

    /** The summary in the last message is longer than the space reserved before a frame. */
    @Test
    void framesOfManyMapsArriveInTheirOrder() throws IOException {
        List<byte[]> frames = IntStream.range(0, 100)
                .mapToObj(map -> store.batch(map % 3 == 0 ? 40_000 : 104 * map))
                .toList();
        for (int map = 0; map < frames.size(); map++) {
            store.write("s", map, 0, List.of(List.of(frames.get(map))));
        }
        client.commit("s", frames.size());

        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(frames));
    }

    @Test
    void theDictionaryOfAMapPrecedesItsFramesAndFollowsThoseBefore() throws IOException {
        List<byte[]> stream = new ArrayList<>();
        for (int map = 0; map < 3; map++) {
            byte[] dictionary = ArrowStore.message(2, new byte[] {(byte) map, 0, 0, 0, 0, 0, 0, 0});
            byte[] frame = store.batch(8 * map);
            store.write("s", map, 0, dictionary, List.of(List.of(frame)));
            stream.addAll(List.of(dictionary, frame));
        }
        client.commit("s", 3);

        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(stream));
    }

    @Test
    void aBlobAppearsWhenItHasItsFinalName() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        Path temporary = Files.move(file, file.resolveSibling(file.getFileName() + ".tmp"));

        assertThatThrownBy(() -> client.commit("s", 1)).hasMessageContaining("1 of 1 maps are missing: 0");

        Files.move(temporary, file);
        client.commit("s", 1);
        assertThat(all(client.read("s", 0))).isNotEmpty();
    }

    @Test
    void aCommitWithoutAllMapsNamesThem() throws IOException {
        store.write("s", 1, 0, List.of(List.of(store.batch(8))));

        assertThatThrownBy(() -> client.commit("s", 4))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("3 of 4 maps are missing: 0, 2, 3");
        assertThatThrownBy(() -> client.read("s", 0)).hasMessageContaining("it is not committed");
        assertThatThrownBy(() -> client.commit("s", 1)).hasMessageContaining("missing: 0");
    }

    @Test
    void anAttemptThatEndsLateCountsForNobody() throws IOException {
        byte[] second = store.batch(16);
        store.write("s", 0, 1, List.of(List.of(second)));
        client.commit("s", 1);
        store.write("s", 0, 0, List.of(List.of(store.batch(24))));
        client.commit("s", 1);

        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(List.of(second)));
    }

    @Test
    void aLostMapIsNamedAndCanBeRunAgain() throws IOException {
        byte[] kept = store.batch(8);
        store.write("s", 0, 0, List.of(List.of(kept)));
        Path lost = store.write("s", 1, 0, List.of(List.of(store.batch(8))));
        client.commit("s", 2);
        Files.delete(lost);

        assertThatThrownBy(() -> client.read("s", 0))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining("LOST(1)");

        byte[] again = store.batch(8);
        store.write("s", 1, 1, List.of(List.of(again)));
        client.commit("s", 2);
        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(List.of(kept, again)));
    }

    @Test
    void everyFlippedByteOfAFrameIsFound() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(200), store.batch(64))));
        client.commit("s", 1);
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < ArrowStore.SCHEMA.length + 240 + 104; at += 7) {
            byte[] flipped = whole.clone();
            flipped[at] ^= 0x40;
            Files.write(file, flipped);
            if (at < ArrowStore.SCHEMA.length) {
                continue; // The daemon read and checked the prelude at the commit.
            }
            assertThatThrownBy(() -> all(client.read("s", 0)))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("map 0, attempt 0, of shuffle s");
        }
    }

    @Test
    void aCutBlobIsFoundAtTheBorderOfAFrameAndInside() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(200), store.batch(64))));
        client.commit("s", 1);
        long border = ArrowStore.SCHEMA.length + 240;
        for (long length : new long[] {border + 50, border, border - 50, 24, 0}) {
            Damage.truncate(file, length);
            assertThatThrownBy(() -> all(client.read("s", 0))).isInstanceOf(BlobCorruptException.class);
        }
    }

    @Test
    void anotherBlobUnderTheSameNameIsRefused() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(200))));
        client.commit("s", 1);
        BlobId id = new BlobId(1, 0xabcdefL, 0);
        Files.write(file, ArrowStore.blob(id, "s", 0, 0, List.of(List.of(store.batch(200)))));

        assertThatThrownBy(() -> all(client.read("s", 0)))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("it was replaced or truncated after it had been registered");
    }

    @Test
    void aBlobOfAnotherShuffleOrMapIsRefused() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        Path copy = store.path("t", 0, 0, new BlobId(1, 0xabcdefL, 0));
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
        Files.copy(file, store.path("s", 1, 0, new BlobId(1, 0xabcdefL, 0)));

        assertThatThrownBy(() -> client.commit("t", 1))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("it has a segment of");
        assertThatThrownBy(() -> client.commit("s", 2)).isInstanceOf(BlobCorruptException.class);
    }

    @Test
    void aFooterWhoseRangesLieOutsideTheBlobIsRefused() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(4000))));
        byte[] whole = Files.readAllBytes(file);
        byte[] tail = Arrays.copyOfRange(whole, ArrowStore.SCHEMA.length + 4040 + 8, whole.length);
        byte[] moved = Arrays.copyOf(ArrowStore.SCHEMA, ArrowStore.SCHEMA.length + tail.length);
        System.arraycopy(tail, 0, moved, ArrowStore.SCHEMA.length, tail.length);
        Files.write(file, moved);

        assertThatThrownBy(() -> client.register("shuffles/s/" + file.getFileName()))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("its content ends at");
    }

    @Test
    void onlyFilesOfTheNamespaceCanBeRegistered() throws IOException {
        Path file = store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        String name = file.getFileName().toString();
        ArrowStore other = new ArrowStore(others);
        Path foreign = other.write("s", 0, 0, List.of(List.of(store.batch(8))));
        client.register(file.toString());
        client.register("shuffles/s/" + name);

        for (String path : List.of(
                foreign.toString(),
                "/etc/passwd",
                "../" + others.getFileName() + "/shuffles/s/" + foreign.getFileName(),
                "shuffles/../shuffles/s/" + name,
                "shuffles/s/../s/" + name,
                "shuffles/../" + name,
                "shuffles/s/..",
                "shuffles/s/" + name + "\0",
                "")) {
            assertThatThrownBy(() -> client.register(path)).as(path).isInstanceOf(InvalidSettingsException.class);
        }
    }

    @Test
    void linksLeadNowhere() throws IOException {
        ArrowStore other = new ArrowStore(others);
        Path foreign = other.write("s", 0, 0, List.of(List.of(store.batch(8))));
        Path shuffles = Files.createDirectories(directory.resolve("shuffles"));
        Files.createSymbolicLink(shuffles.resolve("s"), foreign.getParent());
        Path linked = Files.createDirectories(shuffles.resolve("t")).resolve(foreign.getFileName());
        Files.createSymbolicLink(linked, foreign);

        assertThatThrownBy(() -> client.register("shuffles/s/" + foreign.getFileName()))
                .isInstanceOf(BlobMissingException.class);
        assertThatThrownBy(() -> client.register("shuffles/t/" + foreign.getFileName()))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining("it is not a regular file");
    }

    @Test
    void twoJobsInOneDirectoryKeepApart() throws IOException {
        byte[] one = store.batch(8);
        byte[] two = store.batch(16);
        store.write("job-1", 0, 0, List.of(List.of(one)));
        store.write("job-2", 0, 0, List.of(List.of(two)));
        client.commit("job-1", 1);
        client.commit("job-2", 1);

        assertThat(all(client.read("job-1", 0))).isEqualTo(ArrowStore.stream(List.of(one)));
        client.release("job-1");
        client.release("job-1");

        assertThat(all(client.read("job-2", 0))).isEqualTo(ArrowStore.stream(List.of(two)));
        assertThat(directory.resolve("shuffles").resolve("job-1")).doesNotExist();
        assertThatThrownBy(() -> client.read("job-1", 0)).isInstanceOf(BlobMissingException.class);
    }

    @Test
    void aShuffleWhoseCommitIsDamagedCanBeReleased() throws IOException {
        store.write("s", 0, 0, List.of(List.of(store.batch(8))));
        Path commit = directory.resolve("shuffles").resolve("s").resolve("flight.commit");
        Files.writeString(commit, "nothing");
        assertThatThrownBy(() -> client.read("s", 0)).isInstanceOf(BlobCorruptException.class);

        client.release("s");

        assertThat(commit.getParent()).doesNotExist();
        byte[] again = store.batch(16);
        store.write("s", 0, 0, List.of(List.of(again)));
        client.commit("s", 1);
        assertThat(all(client.read("s", 0))).isEqualTo(ArrowStore.stream(List.of(again)));
    }

    @Test
    void aListShowsAShuffleWhoseCommitIsDamagedBesideTheOthers() throws IOException {
        store.write("a", 0, 0, List.of(List.of(store.batch(8))));
        Files.writeString(directory.resolve("shuffles").resolve("a").resolve("flight.commit"), "nothing");
        store.write("b", 0, 0, List.of(List.of(store.batch(8))));
        store.write("b", 1, 0, List.of(List.of(store.batch(8))));
        client.commit("b", 2);
        store.write("c", 0, 0, List.of(List.of(store.batch(8))));
        ManagedChannel channel = FlightCalls.open(daemon.port());
        try {
            JsonArray listed = JsonParser.parseString(FlightCalls.act(channel, "list", "{\"namespace\":\"default\"}"))
                    .getAsJsonObject()
                    .getAsJsonArray("shuffles");

            assertThat(listed.get(0).getAsJsonObject().get("shuffle").getAsString())
                    .isEqualTo("a");
            assertThat(listed.get(0).getAsJsonObject().get("damage").getAsString())
                    .contains("the commit of shuffle a");
            assertThat(listed.get(1))
                    .isEqualTo(JsonParser.parseString("{\"shuffle\":\"b\",\"blobs\":2,\"committed_maps\":2}"));
            assertThat(listed.get(2)).isEqualTo(JsonParser.parseString("{\"shuffle\":\"c\",\"blobs\":1}"));
            assertThat(listed).hasSize(3);
            assertThat(FlightCalls.act(channel, "list", "{\"namespace\":\"other\"}"))
                    .isEqualTo("{\"shuffles\":[]}");
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void aStreamEndsItsBlobWhenTheShuffleIsReleased() throws IOException {
        List<byte[]> frames =
                IntStream.range(0, 40).mapToObj(i -> store.batch(1 << 20)).toList();
        store.write("s", 0, 0, List.of(frames));
        client.commit("s", 1);
        try (InputStream stream = client.read("s", 0)) {
            byte[] first = stream.readNBytes(1 << 20);
            client.release("s");
            byte[] rest = stream.readAllBytes();
            assertThat(first.length + rest.length).isEqualTo(ArrowStore.stream(frames).length);
        }
    }

    @Test
    void aSlowClientDoesNotStopTheOthers() throws IOException {
        List<byte[]> frames =
                IntStream.range(0, 24).mapToObj(i -> store.batch(4 << 20)).toList();
        store.write("s", 0, 0, List.of(frames));
        client.commit("s", 1);
        try (FlightShuffles slow = Daemons.client(daemon)) {
            List<InputStream> stuck =
                    IntStream.range(0, 20).mapToObj(i -> slow.read("s", 0)).toList();
            assertThat(all(client.read("s", 0))).hasSize(ArrowStore.stream(frames).length);
            assertThat(client.stats()).contains("\"memory_bytes\":" + FlightConfig.LEAST_MEMORY);
            assertThat(used(client.stats())).isLessThanOrEqualTo(FlightConfig.LEAST_MEMORY);
            // Any stream may hold the memory, so reading one stream may not free it.
            assertThatThrownBy(() -> {
                        while (true) {
                            stuck.get(0).skipNBytes(64 << 10);
                        }
                    })
                    .isInstanceOfAny(StoreUnavailableException.class, EOFException.class);
            assertThat(all(client.read("s", 0))).hasSize(ArrowStore.stream(frames).length);
        }
    }

    private static long used(String stats) {
        return Long.parseLong(stats.replaceAll(".*\"memory_used_bytes\":([0-9]+).*", "$1"));
    }

    @Test
    void aHundredThousandSegmentsAreServed() throws IOException {
        byte[] batch = store.batch(8);
        List<List<byte[]>> partitions =
                IntStream.range(0, 100_000).mapToObj(i -> List.of(batch)).toList();
        store.write("s", 0, 0, partitions);
        client.commit("s", 1);

        for (int partition : new int[] {0, 50_000, 99_999}) {
            assertThat(all(client.read("s", partition))).isEqualTo(ArrowStore.stream(List.of(batch)));
        }
        assertThatThrownBy(() -> client.read("s", 100_000))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("the shuffle has 100000");
    }

    @Test
    void aDirectoryInsideAnotherIsRefused() {
        Map<String, List<Path>> nested = Map.of("a", List.of(directory), "b", List.of(directory));

        assertThatThrownBy(() -> FlightDaemon.start(Daemons.insecure(nested), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("one lies in the other");
    }

    @Test
    void anUnknownNamespaceIsNamed() {
        try (FlightShuffles lost = FlightShuffles.connect(FlightServer.insecureLoopback(daemon.port()), "elsewhere")) {
            assertThatThrownBy(() -> lost.read("s", 0))
                    .isInstanceOf(BlobMissingException.class)
                    .hasMessageContaining("the daemon serves [default, other]");
        }
    }
}
