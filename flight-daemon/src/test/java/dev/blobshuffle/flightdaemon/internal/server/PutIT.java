package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import dev.blobshuffle.testkit.internal.files.LiveFiles;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks what DoPut stores and what it refuses. */
class PutIT {
    private static final byte[] NONE = {};
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final SystemTime time = new SystemTime();
    private final Random random = new Random(3);

    @TempDir
    private Path directory;

    private FlightDaemon daemon;
    private FlightShuffles client;
    private ManagedChannel channel;

    @BeforeEach
    void start() {
        start(Daemons.BUDGETS);
    }

    private void start(FlightConfig.Budgets budgets) {
        start(Daemons.withBudgets(Daemons.insecure(Map.of("default", List.of(directory))), budgets));
    }

    private void start(FlightConfig config) {
        close();
        daemon = FlightDaemon.start(config, time);
        client = Daemons.client(daemon);
        channel = FlightCalls.open(daemon.port());
    }

    @AfterEach
    void end() {
        close();
        time.close();
    }

    private void close() {
        if (daemon != null) {
            channel.shutdownNow();
            client.close();
            daemon.close();
        }
    }

    private static FlightConfig.Budgets budgets(long blobs, OptionalLong quota) {
        return new FlightConfig.Budgets(FlightConfig.LEAST_MEMORY, 64 << 20, 256 << 20, blobs, quota);
    }

    private RawPut put(Object... path) {
        return new RawPut(channel).begin(path);
    }

    private byte[] body(int length) {
        byte[] body = new byte[length];
        random.nextBytes(body);
        return body;
    }

    private static byte[] stream(byte[]... messages) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(RawPut.stored(RawPut.schema(), NONE));
        Arrays.stream(messages).forEach(all::writeBytes);
        all.writeBytes(END);
        return all.toByteArray();
    }

    private static byte[] batch(long rows, byte[] body) {
        return RawPut.stored(RawPut.header(3, rows, false, body.length), body);
    }

    private byte[] read(String shuffle, int partition) throws IOException {
        try (var stream = client.read(shuffle, partition)) {
            return stream.readAllBytes();
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path -> !path.equals(directory))
                    .map(path -> directory.relativize(path).toString())
                    .toList();
        }
    }

    private long stat(String name) {
        return JsonParser.parseString(client.stats())
                .getAsJsonObject()
                .get(name)
                .getAsLong();
    }

    /** Waits for the work that the daemon does after a stream has ended. */
    private void awaitReleased() {
        Daemons.patiently("the end of all puts")
                .until(() -> stat("put_memory_used_bytes") == 0 && stat("running_puts") == 0);
    }

    @Test
    void batchesComeBackByPartition() throws Exception {
        byte[] a = body(800);
        byte[] b = body(80);
        byte[] c = body(8);
        String ref = put("default", "s", 0, 7, 3)
                .batch(2, 10, a)
                .batch(0, 2, b)
                .batch(2, 1, c)
                .rows(13)
                .finish();
        String second = put("default", "s", 1, 0, 3).rows(0).finish();
        client.commit("s", 2);

        assertThat(ref).contains("\"map\":0", "\"attempt\":7", "\"rows\":13", "\"in_memory\":false");
        assertThat(second).contains("\"rows\":0");
        assertThat(directory.resolve(JsonParser.parseString(ref)
                        .getAsJsonObject()
                        .get("path")
                        .getAsString()))
                .exists();
        assertThat(read("s", 0)).isEqualTo(stream(batch(2, b)));
        assertThat(read("s", 1)).isEqualTo(stream());
        assertThat(read("s", 2)).isEqualTo(stream(batch(10, a), batch(1, c)));
        awaitReleased();
    }

    @Test
    void everyFrameBeginsWithTheDictionariesThatItsBatchesUse() throws Exception {
        byte[] first = body(16);
        byte[] other = body(32);
        byte[] changed = body(24);
        byte[] rows = body(8);
        put("default", "s", 0, 0, 2)
                .dictionary(5, first)
                .dictionary(1, other)
                .batch(0, 1, rows)
                .batch(1, 1, rows)
                .dictionary(5, changed)
                .batch(1, 1, rows)
                .rows(3)
                .finish();
        client.commit("s", 1);

        byte[] one = RawPut.stored(RawPut.header(2, 5, false, 16), first);
        byte[] two = RawPut.stored(RawPut.header(2, 1, false, 32), other);
        byte[] three = RawPut.stored(RawPut.header(2, 5, false, 24), changed);
        assertThat(read("s", 0)).isEqualTo(stream(one, two, batch(1, rows)));
        assertThat(read("s", 1)).isEqualTo(stream(one, two, batch(1, rows), three, two, batch(1, rows)));
    }

    @Test
    void theClientWaitsAndTheBudgetHolds() throws Exception {
        RawPut put = put("default", "s", 0, 0, 2);
        List<byte[]> sent = new ArrayList<>();
        long most = 0;
        for (int i = 0; i < 40; i++) {
            assertThat(put.awaitReady(120_000)).isTrue();
            byte[] body = body(4 << 20);
            put.batch(i % 2, 1, body);
            if (i % 2 == 1) {
                sent.add(batch(1, body));
            }
            most = Math.max(most, stat("put_memory_used_bytes"));
        }
        put.rows(40).finish();
        client.commit("s", 1);

        assertThat(most).isPositive().isLessThanOrEqualTo(FlightConfig.LEAST_PUT_MEMORY);
        assertThat(read("s", 1)).isEqualTo(stream(sent.toArray(new byte[0][])));
        awaitReleased();
    }

    @Test
    void dictionariesThatWereReplacedCountUntilTheyAreWritten() throws Exception {
        RawPut put = put("default", "s", 0, 0, 1);
        long most = 0;
        for (int i = 0; i < 60; i++) {
            assertThat(put.awaitReady(120_000)).isTrue();
            put.dictionary(1, body(1 << 19)).batch(0, 1, body(1 << 18));
            most = Math.max(most, stat("put_memory_used_bytes"));
        }
        assertThat(put.rows(60).finish()).contains("\"rows\":60");
        assertThat(most).isBetween(16L << 20, FlightConfig.LEAST_PUT_MEMORY);
        awaitReleased();
    }

    @Test
    void moreStreamsThanTheMemoryHasRoomForWaitTheirTurn() throws Exception {
        ManagedChannel waiting = FlightCalls.open(daemon.port());
        // The minimum memory is enough for two streams.
        put("default", "s", 1, 0, 1).batch(0, 1, body(8));
        RawPut second = put("default", "s", 2, 0, 1);
        Daemons.patiently("two puts").until(() -> stat("running_puts") >= 2);
        Status refused = put("default", "s", 3, 0, 1).refusal();
        RawPut third = new RawPut(waiting).begin("default", "s", 0, 0, 1);
        int sent = 0;
        while (sent < 40 && third.awaitReady(500)) {
            third.batch(0, 1, body(1 << 20));
            sent++;
        }

        assertThat(refused.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(refused.getDescription()).contains("takes 2 at a time, and this connection has one");
        assertThat(sent).isLessThan(40);
        second.cancel();
        for (; sent < 40; sent++) {
            assertThat(third.awaitReady(120_000)).isTrue();
            third.batch(0, 1, body(1 << 20));
        }
        assertThat(third.rows(40).finish()).contains("\"rows\":40");
        waiting.shutdownNow();
    }

    @Test
    void theNextMapMayFollowTheAnswerAtOnce() {
        ManagedChannel other = FlightCalls.open(daemon.port());
        new RawPut(other).begin("default", "s", 1000, 0, 1); // It leaves room for one stream.
        Daemons.patiently("the other put").until(() -> stat("running_puts") == 1);
        for (int map = 0; map < 200; map++) {
            assertThat(put("default", "s", map, 0, 1).rows(0).answer()).contains("\"map\":" + map);
        }
        other.shutdownNow();
    }

    @Test
    void anUnfinishedStreamLeavesNothing() throws Exception {
        RawPut cancelled = put("default", "s", 0, 0, 1);
        for (int i = 0; i < 12; i++) {
            assertThat(cancelled.awaitReady(120_000)).isTrue();
            cancelled.batch(0, 1, body(4 << 20));
        }
        Daemons.patiently("the draft of a blob")
                .until(() -> LiveFiles.below(directory).stream()
                        .anyMatch(file -> file.toString().endsWith(".tmp")));
        cancelled.cancel();
        awaitReleased();
        assertThat(files()).containsExactly("shuffles");

        Status ended = put("default", "s", 0, 0, 1).batch(0, 1, body(8)).refusal();
        assertThat(ended.getDescription()).contains("ended without the number of rows");
        Status lost = put("default", "s", 0, 0, 1).batch(0, 1, body(8)).rows(2).refusal();
        assertThat(lost.getDescription()).contains("states 2 rows, and 1 came");
        assertThat(files()).containsExactly("shuffles");
    }

    private void refuses(RawPut put, String reason) {
        Status status = put.refusal();
        assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains(reason);
    }

    @Test
    void hostileMessagesAreRefused() throws Exception {
        byte[] rows = body(8);
        refuses(new RawPut(channel), "ended without a message");
        refuses(new RawPut(channel).batch(0, 1, rows), "has type 0 and 0 names");
        refuses(put("default", "s", 0, 0), "4 names");
        refuses(put("default", "s", -1, 0, 1), "number -1");
        refuses(put("default", "s", 1 << 20, 0, 1), "number 1048576");
        refuses(put("default", "s", 0, "1000000000000000000", 1), "legal are 0 to 999999999999999999");
        refuses(put("default", "s", "x", 0, 1), "'x' where a number");
        refuses(put("default", "s", 0, 0, 0), "at least one");
        refuses(put("default", "../s", 0, 0, 1), "'../s'");
        refuses(put("default", "s", 0, 0, 1).begin("default", "s", 0, 0, 1), "a later message has a descriptor");
        refuses(put("default", "s", 0, 0, 1).send(RawPut.message(NONE, RawPut.schema(), NONE, NONE)), "two schemas");
        byte[] header = RawPut.header(3, 1, false, 8);
        byte[] path = RawPut.path("default", "s", 0, 0, 1);
        RawPut none = new RawPut(channel).send(RawPut.message(path, header, RawPut.partition(0), rows));
        refuses(none, "it has no schema");
        refuses(
                put("default", "s", 0, 0, 3).batch(3, 1, rows),
                "of partition 3, and the descriptor says that there are 3");
        refuses(put("default", "s", 0, 0, 3).batch(-1, 1, rows), "of partition 4294967295");
        refuses(put("default", "s", 0, 0, 1).batch(0, -1, rows), "-1 rows");
        refuses(
                put("default", "s", 0, 0, 1).batch(0, Long.MAX_VALUE, rows).batch(0, 1, rows),
                "more rows than there can be");
        refuses(put("default", "s", 0, 0, 1).rows(-1), "states -1 rows");
        refuses(put("default", "s", 0, 0, 1).rows(0).batch(0, 1, rows), "follows the number of rows");
        refuses(
                put("default", "s", 0, 0, 1).send(RawPut.message(NONE, NONE, new byte[3], NONE)),
                "3 bytes of metadata");
        refuses(
                put("default", "s", 0, 0, 1).send(RawPut.message(NONE, header, new byte[5], rows)),
                "5 bytes of metadata");
        refuses(
                put("default", "s", 0, 0, 1).send(RawPut.message(NONE, header, RawPut.partition(0), body(16))),
                "a body of 16 bytes, and its metadata says 8");
        refuses(
                put("default", "s", 0, 0, 1)
                        .send(RawPut.message(NONE, RawPut.header(3, 1, false, -8), RawPut.partition(0), rows)),
                "a body of -8 bytes");
        refuses(
                put("default", "s", 0, 0, 1)
                        .send(RawPut.message(NONE, RawPut.header(3, 1, false, 7), RawPut.partition(0), body(7))),
                "a body of 7 bytes");
        refuses(
                put("default", "s", 0, 0, 1).send(RawPut.message(NONE, RawPut.header(2, 1, true, 8), NONE, rows)),
                "it is a delta");
        refuses(put("default", "s", 0, 0, 1).dictionary(1, body(1 << 20)), "Cast these columns");
        refuses(put("default", "s", 0, 0, 1).send(RawPut.message(NONE, NONE, NONE, rows)), "a body without a header");
        refuses(put("default", "s", 0, 0, 1).send(new byte[] {(byte) 0xc2, 0x3e, 0x7f}), "127 bytes where 0 are left");
        for (int length : new int[] {0, 1, 4, 5, 16, 20, 27, 35, 47, 51}) {
            byte[] truncated = Arrays.copyOf(header, length);
            Status status = put("default", "s", 0, 0, 1)
                    .send(RawPut.message(NONE, truncated, RawPut.partition(0), NONE))
                    .refusal();
            assertThat(status.getCode()).as("%s bytes: %s", length, status).isEqualTo(Status.Code.INVALID_ARGUMENT);
        }
        for (int i = 0; i < 500; i++) {
            byte[] any = header.clone();
            any[random.nextInt(any.length)] = (byte) random.nextInt();
            any[random.nextInt(any.length)] = (byte) random.nextInt();
            Status status = put("default", "s", 0, 0, 1)
                    .send(RawPut.message(NONE, any, RawPut.partition(0), rows))
                    .refusal();
            assertThat(status.getCode()).as(status.toString()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        }
        Status large = put("default", "s", 0, 0, 1).batch(0, 1, body(17 << 20)).refusal();
        assertThat(large.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        awaitReleased();
        assertThat(files()).isEmpty();
    }

    @Test
    void aNamespaceThatIsNotTheCallersIsRefused(@TempDir Path files) throws Exception {
        SecureDaemon secure = new SecureDaemon(files);
        try (FlightDaemon secured = FlightDaemon.start(secure.config(directory), time)) {
            ManagedChannel other = secure.channel(secured, SecureDaemon.OTHER_TOKEN);
            ManagedChannel nobody = secure.channel(secured, "x".repeat(40));
            Status forbidden = new RawPut(other).begin("default", "s", 0, 0, 1).refusal();
            Status unknown = new RawPut(nobody).begin("default", "s", 0, 0, 1).refusal();
            other.shutdownNow();
            nobody.shutdownNow();

            assertThat(forbidden.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
            assertThat(unknown.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void beyondTheQuotaNothingIsStored() throws Exception {
        start(budgets(0, OptionalLong.of(3 << 20)));
        String fits =
                put("default", "s", 0, 0, 1).batch(0, 1, body(2 << 20)).rows(1).finish();
        Status full =
                put("default", "s", 1, 0, 1).batch(0, 1, body(2 << 20)).rows(1).refusal();

        assertThat(fits).contains("\"rows\":1");
        assertThat(full.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(full.getDescription()).contains("within the quota of 3145728 bytes", "Release shuffles");
        client.release("s");
        assertThat(put("default", "s", 1, 0, 1)
                        .batch(0, 1, body(2 << 20))
                        .rows(1)
                        .finish())
                .contains("\"rows\":1");
    }

    @Test
    void aDirectoryThatFailsIsLeft(@TempDir Path broken) throws Exception {
        start(Daemons.withBudgets(
                Daemons.insecure(Map.of("default", List.of(broken, directory))), budgets(0, OptionalLong.empty())));
        Files.writeString(broken.resolve("shuffles"), "no directory");
        for (int map = 0; map < 8; map++) {
            put("default", "s", map, 0, 1).batch(0, 1, body(8)).rows(1).finish();
        }

        assertThat(files()).hasSize(2 + 8);
    }

    @Test
    void whatFitsIntoMemoryNeverTouchesADisk() throws Exception {
        FlightConfig config = Daemons.withBudgets(
                Daemons.insecure(Map.of("default", List.of(directory))), budgets(64 << 20, OptionalLong.empty()));
        start(Daemons.withHttp(config, HttpConfig.Transport.AS_FLIGHT, HttpConfig.Limits.DEFAULT));
        byte[] a = body(800);
        byte[] b = body(5 << 20);
        String ref = put("default", "s", 0, 0, 2)
                .batch(1, 1, a)
                .batch(0, 3, a)
                .batch(1, 1, b)
                .rows(5)
                .finish();
        client.commit("s", 1);

        assertThat(ref).contains("\"in_memory\":true");
        assertThat(files()).isEmpty();
        assertThat(read("s", 0)).isEqualTo(stream(batch(3, a)));
        assertThat(read("s", 1)).isEqualTo(stream(batch(1, a), batch(1, b)));
        String path = JsonParser.parseString(ref)
                .getAsJsonObject()
                .get("path")
                .getAsString()
                .replace("shuffles/", "/default/");
        try (HttpClientSocket http = HttpClientSocket.plain(Daemons.httpPort(daemon))) {
            byte[] blob = http.ask("GET", path, "").body();
            assertThat(Arrays.copyOf(blob, 72)).isEqualTo(RawPut.stored(RawPut.schema(), NONE));
            assertThat(blob)
                    .hasSize(JsonParser.parseString(ref)
                            .getAsJsonObject()
                            .get("length")
                            .getAsInt());
            assertThat(Arrays.copyOfRange(blob, 100, 4_000_000))
                    .isEqualTo(http.ask("GET", path, "Range: bytes=100-3999999\r\n")
                            .body());
        }
        assertThat(stat("blob_memory_used_bytes")).isPositive();
        client.release("s");
        assertThat(stat("blob_memory_used_bytes")).isZero();
        assertThat(files()).isEmpty();
    }

    @Test
    void theOldestBlobsGoToADirectoryWhenTheMemoryIsFull() throws Exception {
        start(budgets(32 << 20, OptionalLong.empty()));
        byte[] body = body(10 << 20);
        put("default", "s", 0, 0, 1).batch(0, 1, body).rows(1).finish();
        put("default", "s", 1, 0, 1).batch(0, 2, body).rows(2).finish();
        client.commit("s", 2);
        assertThat(files()).isEmpty();
        put("default", "t", 0, 0, 1).batch(0, 3, body).rows(3).finish();
        put("default", "t", 1, 0, 1).batch(0, 4, body).rows(4).finish();
        client.commit("t", 2);

        assertThat(files()).hasSize(4).anyMatch(file -> file.endsWith("s/flight.commit"));
        assertThat(stat("blobs_moved")).isEqualTo(1);
        assertThat(stat("blob_memory_used_bytes")).isBetween(30L << 20, 32L << 20);
        assertThat(read("s", 0)).isEqualTo(stream(batch(1, body), batch(2, body)));
        assertThat(read("t", 0)).isEqualTo(stream(batch(3, body), batch(4, body)));

        start(budgets(32 << 20, OptionalLong.empty()));
        assertThatThrownBy(() -> read("s", 0))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining("LOST(1)");
        assertThatThrownBy(() -> read("t", 0)).hasMessageContaining("namespace default has none");
        put("default", "s", 1, 1, 1).batch(0, 2, body).rows(2).finish();
        client.commit("s", 2);
        assertThat(read("s", 0)).isEqualTo(stream(batch(1, body), batch(2, body)));
    }
}
