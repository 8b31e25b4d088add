package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a daemon while it sends or copies, and starts another in its place. */
class KilledDaemonIT {
    private static final int FRAMES = 64;

    @TempDir
    private Path directory;

    @TempDir
    private Path files;

    private Path key;
    private Path blob;
    private byte[] expected;

    @BeforeEach
    void write() throws IOException {
        key = files.resolve("key");
        Files.writeString(key, "k".repeat(40));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        ArrowStore store = new ArrowStore(directory);
        List<byte[]> frames =
                IntStream.range(0, FRAMES).mapToObj(i -> store.batch(1 << 20)).toList();
        blob = store.write("s", 0, 0, List.of(frames));
        expected = ArrowStore.stream(frames);
    }

    @Test
    void aReaderFailsAndItsTicketReadsEverythingAfterTheRestart() throws IOException {
        byte[] ticket;
        try (DaemonProcess daemon = DaemonProcess.start(directory, key)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            FlightCalls.act(channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"s\",\"maps\":1}");
            ticket = FlightCalls.ticket(channel, "");
            try (InputStream stream = FlightCalls.stream(channel, ticket)) {
                assertThat(stream.readNBytes(1 << 20)).hasSize(1 << 20);
                daemon.kill();
                assertThatThrownBy(stream::readAllBytes)
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("Check that the daemon runs, then retry");
            }
            channel.shutdownNow();
        }
        try (DaemonProcess daemon = DaemonProcess.start(directory, key)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            assertThat(FlightCalls.read(channel, ticket)).isEqualTo(expected);
            channel.shutdownNow();
        }
    }

    @Test
    void aReaderByHttpMissesBytesThatTheAnswerPromised() throws IOException {
        String path = "/default/s/" + blob.getFileName();
        long length = Files.size(blob);
        try (DaemonProcess daemon = DaemonProcess.start(directory, key);
                HttpClientSocket client = HttpClientSocket.plain(daemon.httpPort())) {
            client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.head().length()).isEqualTo(length);
            daemon.kill();
            assertThat(client.rest()).isLessThan(length);
        }
        try (DaemonProcess daemon = DaemonProcess.start(directory, key);
                HttpClientSocket client = HttpClientSocket.plain(daemon.httpPort())) {
            assertThat(client.ask("GET", path, "").body()).isEqualTo(Files.readAllBytes(blob));
        }
    }

    /** A daemon has a heap of 128 MiB, and the blobs have 160 MiB. */
    @Test
    void aDaemonThatIsKilledWhileItCopiesCopiesTheRestAfterItsRestart() throws IOException {
        Path copies = Files.createDirectory(files.resolve("copies"));
        Path copied = copies.resolve("shuffles").resolve("many");
        ArrowStore store = new ArrowStore(directory);
        List<Path> blobs = new ArrayList<>();
        for (int map = 0; map < 40; map++) {
            blobs.add(store.write("many", map, 0, List.of(List.of(store.batch(4 << 20)))));
        }
        try (DaemonProcess daemon = DaemonProcess.start(directory, key, "file://" + copies)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            FlightCalls.act(channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"many\",\"maps\":40}");
            // Polls often enough to kill the daemon before it has copied all blobs.
            Daemons.patiently("copied blobs").pollInterval(Duration.ofMillis(1)).until(() -> count(copied) > 2);
            daemon.kill();
            channel.shutdownNow();
        }
        assertThat(count(copied)).isBetween(3L, 39L);
        assertThat(copied.resolve("flight.commit")).doesNotExist();
        try (DaemonProcess daemon = DaemonProcess.start(directory, key, "file://" + copies)) {
            Daemons.patiently("the copy of the commit").until(() -> Files.exists(copied.resolve("flight.commit")));
            for (Path each : blobs) {
                assertThat(copied.resolve(each.getFileName().toString())).hasSameBinaryContentAs(each);
            }
        }
    }

    private static long count(Path directory) {
        String[] names = directory.toFile().list((parent, name) -> name.endsWith(".blob"));
        return names == null ? 0 : names.length;
    }
}
