package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flight.internal.client.Answers;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flight.internal.wire.ProtoWriter;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses tickets and tokens over a real connection. */
class TicketsIT {
    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    @TempDir
    private Path files;

    private ArrowStore store;

    @BeforeEach
    void write() throws IOException {
        store = new ArrowStore(directory);
        store.write("s", 0, 0, List.of(List.of(store.batch(8), store.batch(16), store.batch(24))));
        store.write("s", 1, 0, List.of(List.of(store.batch(32))));
    }

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void anUnknownMapIsNamedAndNeverSkipped() throws IOException {
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            for (String maps : List.of("[[0,0],[7,0]]", "[[7,0],[0,0]]")) {
                assertThatThrownBy(() -> FlightCalls.ticket(channel, ",\"maps\":" + maps))
                        .isInstanceOf(BlobMissingException.class)
                        .hasMessageContaining("map=7");
            }
            assertThatThrownBy(() -> FlightCalls.ticket(channel, ",\"maps\":[[0,3]]"))
                    .hasMessageContaining("attempt=3");
            assertThatThrownBy(() -> FlightCalls.ticket(channel, ",\"maps\":[]"))
                    .hasMessageContaining("Cannot read 0 maps");
            assertThatThrownBy(() -> FlightCalls.ticket(channel, ",\"maps\":[[0,0],[0,0]]"))
                    .hasMessageContaining("map 0 is named twice");
            byte[] both = FlightCalls.ticket(channel, ",\"maps\":[[0,0],[1,0]]");
            assertThat(FlightCalls.read(channel, both)).hasSize(ArrowStore.SCHEMA.length + 4 * 40 + 80 + 8);

            Files.delete(Files.list(directory.resolve("shuffles/s"))
                    .filter(file -> file.getFileName().toString().startsWith("m1-"))
                    .findFirst()
                    .orElseThrow());
            assertThatThrownBy(() -> FlightCalls.read(channel, both))
                    .isInstanceOf(BlobMissingException.class)
                    .hasMessageContaining("map=1");
            channel.shutdownNow();
        }
    }

    @Test
    void aPartitionOrFrameThatDoesNotExistIsAnError() throws IOException {
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            FlightCalls.act(channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"s\",\"maps\":2}");
            String ticket = "{\"namespace\":\"default\",\"shuffle\":\"s\",";
            for (String asked :
                    List.of("\"partition\":1}", "\"partitions\":[0,2]}", "\"partition\":1,\"maps\":[[1,0]]}")) {
                assertThatThrownBy(() -> FlightCalls.act(channel, "ticket", ticket + asked))
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("the shuffle has 1, counted from 0");
            }
            String both = ticket + "\"partition\":0,\"partitions\":[0,1]}";
            assertThatThrownBy(() -> FlightCalls.act(channel, "ticket", both))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("it has both 'partition' and 'partitions'");
            byte[] all = FlightCalls.read(channel, FlightCalls.ticket(channel, ",\"start_frame\":4"));
            assertThat(all).hasSize(ArrowStore.SCHEMA.length + 8);
            byte[] beyond = FlightCalls.ticket(channel, ",\"start_frame\":5");
            assertThatThrownBy(() -> FlightCalls.read(channel, beyond))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("end 1 frames before it");
            channel.shutdownNow();
        }
    }

    @Test
    void mapsWithDifferentNumbersOfPartitionsAreNotCommitted() throws IOException {
        store.write("mixed", 0, 0, List.of(List.of(store.batch(8)), List.of()));
        store.write("mixed", 1, 0, List.of(List.of(store.batch(8)), List.of(), List.of()));
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            assertThatThrownBy(() -> FlightCalls.act(
                            channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"mixed\",\"maps\":2}"))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("map 0 has 2 partitions, and map 1 has 3");
            channel.shutdownNow();
        }
    }

    @Test
    void aStreamGoesOnAtAFrameAfterARestart() throws IOException {
        Path key = files.resolve("key");
        Files.writeString(key, "k".repeat(40));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        FlightConfig config = Daemons.config(
                Map.of("default", List.of(directory)), new Security.InsecureLoopback(), Optional.of(key));
        byte[] whole;
        byte[] rest;
        try (FlightDaemon daemon = FlightDaemon.start(config, time)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            FlightCalls.act(channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"s\",\"maps\":2}");
            whole = FlightCalls.read(channel, FlightCalls.ticket(channel, ""));
            rest = FlightCalls.ticket(channel, ",\"start_frame\":2");
            channel.shutdownNow();
        }
        try (FlightDaemon daemon = FlightDaemon.start(config, time)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            byte[] end = FlightCalls.read(channel, rest);
            byte[] expected = new byte[ArrowStore.SCHEMA.length + 64 + 72 + 8];
            System.arraycopy(whole, 0, expected, 0, ArrowStore.SCHEMA.length);
            System.arraycopy(whole, whole.length - 64 - 72 - 8, expected, ArrowStore.SCHEMA.length, 64 + 72 + 8);
            assertThat(end).isEqualTo(expected);
            channel.shutdownNow();
        }
    }

    @Test
    void aTicketOfADaemonBeforeTheRestartIsRefused() throws IOException {
        byte[] old;
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            old = FlightCalls.ticket(channel, ",\"maps\":[[0,0]]");
            channel.shutdownNow();
        }
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            assertThatThrownBy(() -> FlightCalls.read(channel, old))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("or this one before it was restarted");
            assertThat(FlightCalls.read(channel, FlightCalls.ticket(channel, ",\"maps\":[[0,0]]")))
                    .isNotEmpty();
            channel.shutdownNow();
        }
    }

    @Test
    void hostileRequestsAreRefusedAndTheDaemonGoesOn() throws IOException {
        try (FlightDaemon daemon = Daemons.start(time, directory)) {
            ManagedChannel channel = FlightCalls.open(daemon.port());
            Random random = new Random(5);
            for (int i = 0; i < 200; i++) {
                byte[] bytes = new byte[random.nextInt(100)];
                random.nextBytes(bytes);
                assertThatThrownBy(() -> FlightCalls.read(channel, bytes)).isInstanceOf(InvalidSettingsException.class);
            }
            byte[] huge = new ProtoWriter().bytesHeader(1, Integer.MAX_VALUE).toBytes();
            assertThatThrownBy(() ->
                            Answers.one(channel.newCall(FlightMethods.DO_ACTION, CallOptions.DEFAULT), huge, "action"))
                    .isInstanceOf(InvalidSettingsException.class);
            assertThatThrownBy(() -> FlightCalls.act(channel, "stats", "[".repeat(100_000)))
                    .isInstanceOf(InvalidSettingsException.class);
            assertThatThrownBy(() -> FlightCalls.act(channel, "stats", " ".repeat(5 << 20)));
            assertThatThrownBy(() -> FlightCalls.act(
                            channel, "commit", "{\"namespace\":\"default\",\"shuffle\":\"s\",\"maps\":1e999999999}"))
                    .isInstanceOf(InvalidSettingsException.class);
            assertThatThrownBy(() -> FlightCalls.act(channel, "nothing", ""))
                    .hasMessageContaining("the daemon knows [commit");
            assertThat(FlightCalls.act(channel, "stats", "")).contains("incarnation");
            channel.shutdownNow();
        }
    }

    @Test
    void callsNeedTlsAndATokenOfTheNamespace() throws IOException {
        SecureDaemon secure = new SecureDaemon(files);
        try (FlightDaemon daemon = FlightDaemon.start(secure.config(directory), time);
                FlightShuffles good = secure.client(daemon, SecureDaemon.TOKEN);
                FlightShuffles other = secure.client(daemon, SecureDaemon.OTHER_TOKEN);
                FlightShuffles none = secure.client(daemon, "wrong");
                FlightShuffles plain = Daemons.client(daemon)) {
            good.commit("s", 2);
            try (InputStream stream = good.read("s", 0)) {
                assertThat(stream.readAllBytes()).hasSize(ArrowStore.SCHEMA.length + 4 * 40 + 80 + 8);
            }
            assertThatThrownBy(() -> other.read("s", 0)).hasMessageContaining("the token is for [other]");
            assertThatThrownBy(() -> other.release("s")).isInstanceOf(InvalidSettingsException.class);
            assertThatThrownBy(none::stats)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("the call has no valid token");
            assertThatThrownBy(plain::stats).hasMessageContaining("Check that the daemon runs");
        }
    }

    @Test
    void withoutTlsItListensToThisMachineOnly() {
        assertThatThrownBy(() -> new FlightConfig(
                        "0.0.0.0",
                        0,
                        Optional.empty(),
                        Map.of("default", List.of(directory)),
                        new Security.InsecureLoopback(),
                        Daemons.BUDGETS,
                        java.time.Duration.ofHours(1),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Map.of()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("other machines could read all partitions");
    }
}
