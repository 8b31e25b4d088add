package dev.blobshuffle.cli.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.testkit.internal.servers.VersityGateway;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs {@code flight serve --copy-to} with a real S3 server, while daemons are killed, hosts are
 * lost, or the server is down.
 */
class FlightCopiesIT {
    private static final int MAPS = 16;
    private static final int LENGTH = 4 << 20;

    @TempDir
    private Path files;

    private final ArrowBlobs blobs = new ArrowBlobs();
    private final List<Path> written = new ArrayList<>();
    private VersityGateway server;
    private Path host;
    private Path copied;
    private String copies;

    @BeforeEach
    void start() throws IOException {
        server = VersityGateway.start(Files.createDirectory(files.resolve("server")));
        server.makeBucket("flight");
        copied = files.resolve("server/buckets/flight/team/shuffles/s");
        copies = "s3://flight/team?region=us-east-1&path-style=true&endpoint=" + server.endpoint();
        host = Files.createDirectory(files.resolve("host-a"));
    }

    @AfterEach
    void end() {
        if (server != null) { // The server may not be installed.
            server.close();
        }
    }

    private void write(int maps, int length) throws IOException {
        for (int map = 0; map < maps; map++) {
            written.add(blobs.write(host, "s", map, length));
        }
    }

    private static byte[] read(FlightShuffles client) throws IOException {
        try (InputStream stream = client.read("s", 0)) {
            return stream.readAllBytes();
        }
    }

    private static ConditionFactory waitFor(String what) {
        return Awaitility.await(what)
                .atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10));
    }

    private void awaitComplete() {
        waitFor("the last copy").until(this::isComplete);
    }

    private static long stat(FlightShuffles client, String name) throws IOException {
        return new ObjectMapper().readTree(client.stats()).get(name).asLong();
    }

    private long arrived() throws IOException {
        if (!Files.isDirectory(copied)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(copied)) {
            return all.filter(file -> file.toString().endsWith(".blob")).count();
        }
    }

    private boolean isComplete() {
        return Files.exists(copied.resolve("flight.commit"));
    }

    private void loseHost() throws IOException {
        try (Stream<Path> all = Files.walk(host)) {
            for (Path file : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
        host = Files.createTempDirectory(files, "host-");
    }

    @Test
    void aKilledDaemonCopiesTheRestAndAnotherHostServesIt() throws IOException {
        write(MAPS, LENGTH);
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            daemon.client().commit("s", MAPS);
            waitFor("the first copies").until(() -> arrived() > 1);
            // Usually some blobs are not copied yet. On a machine that stands still, all may be.
            daemon.kill();
        }
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            awaitComplete();
            for (Path each : written) {
                assertThat(copied.resolve(each.getFileName())).hasSameBinaryContentAs(each);
            }
            assertThat(read(daemon.client())).isEqualTo(blobs.stream());
            assertThat(stat(daemon.client(), "copy_reads")).isZero();
        }
        loseHost();
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            assertThat(read(daemon.client())).isEqualTo(blobs.stream());
            assertThat(stat(daemon.client(), "copy_reads")).isPositive();
            daemon.client().release("s");
            assertThat(arrived()).isZero();
            assertThat(isComplete()).isFalse();
            assertThatThrownBy(() -> read(daemon.client())).isInstanceOf(BlobMissingException.class);
        }
    }

    @Test
    void aServerThatIsAwayStopsNoReaderOfADirectory() throws IOException {
        write(4, 1 << 20);
        server.kill();
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            daemon.client().commit("s", 4);
            assertThat(read(daemon.client())).isEqualTo(blobs.stream());
            waitFor("a failure").until(() -> stat(daemon.client(), "copy_failures") > 0);
            assertThat(stat(daemon.client(), "copy_failed_blobs")).isEqualTo(4);
            assertThat(stat(daemon.client(), "copy_pending_bytes")).isGreaterThan(4 << 20);
            server.restart();
            awaitComplete();
            waitFor("the last pending blob").until(() -> stat(daemon.client(), "copy_pending_blobs") == 0);
            assertThat(stat(daemon.client(), "copied_blobs")).isEqualTo(4);
        }
        loseHost();
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            server.kill();
            assertThatThrownBy(() -> read(daemon.client()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("Check that the store runs");
            server.restart();
            waitFor("an answer of the server").until(() -> isReadable(daemon.client()));
        }
    }

    /** A server that hangs blocks the readers of copies and no other readers. */
    @Test
    void aServerThatHangsStopsNoReaderOfADirectory() throws Exception {
        write(3, 1 << 20);
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            daemon.client().commit("s", 3);
            awaitComplete();
            server.pause();
            List<Thread> waiting = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Thread thread = new Thread(
                        () -> assertThatThrownBy(() -> daemon.client().commit("absent", 1)));
                thread.start();
                waiting.add(thread);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(read(daemon.client())).isEqualTo(blobs.stream());
            }
            assertThat(stat(daemon.client(), "copy_reads")).isZero();
            server.resume();
            for (Thread thread : waiting) {
                thread.join();
            }
        }
    }

    private boolean isReadable(FlightShuffles client) throws IOException {
        try {
            assertThat(read(client)).isEqualTo(blobs.stream());
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    void aDamagedCopyFailsTheRead() throws IOException {
        write(3, 1 << 20);
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            daemon.client().commit("s", 3);
            awaitComplete();
        }
        Path copy = copied.resolve(written.get(1).getFileName());
        loseHost();
        try (RandomAccessFile open = new RandomAccessFile(copy.toFile(), "rw")) {
            open.seek(500_000);
            int before = open.read();
            open.seek(500_000);
            open.write(before ^ 4);
        }
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            assertThatThrownBy(() -> read(daemon.client()))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("map 1")
                    .hasMessageContaining("checksum");
        }
        try (RandomAccessFile open = new RandomAccessFile(copy.toFile(), "rw")) {
            open.setLength(500_000);
        }
        try (ServedDaemon daemon = ServedDaemon.start(host, copies)) {
            assertThatThrownBy(() -> read(daemon.client()))
                    .isInstanceOf(BlobCorruptException.class)
                    .hasMessageContaining("map 1")
                    .hasMessageContaining("truncated");
        }
    }

    @Test
    void storesThatCannotKeepCopiesAreRefused() {
        for (Map.Entry<String, String> each : Map.of(
                        "gs://bucket/p", "Use s3:// or file://",
                        "az://account/container", "Use s3:// or file://",
                        "ftp://host/p", "knows this scheme",
                        "other=s3://bucket/p?region=eu-central-1", "it has no directory",
                        "s3://bucket/p?reegion=eu-central-1", "region")
                .entrySet()) {
            StringWriter said = new StringWriter();
            int status = new CommandLine(new FlightServeCommand())
                    .setErr(new PrintWriter(said))
                    .execute(
                            "--directory",
                            host.toString(),
                            "--listen",
                            "127.0.0.1:0",
                            "--insecure-loopback",
                            "--memory",
                            "32MiB",
                            "--put-memory",
                            "64MiB",
                            "--copy-to",
                            each.getKey());
            assertThat(status).as(each.getKey()).isEqualTo(2);
            assertThat(said.toString()).contains(each.getValue());
        }
    }
}
