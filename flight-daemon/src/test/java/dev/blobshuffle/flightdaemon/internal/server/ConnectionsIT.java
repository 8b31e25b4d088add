package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.call.ConnectionLimits;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks which Flight connections the daemon keeps, and which it closes. */
class ConnectionsIT {
    private static final Duration NEVER = Duration.ofHours(1);

    private final SystemTime time = new SystemTime();
    private final List<Socket> strangers = new ArrayList<>();
    private final List<ManagedChannel> channels = new ArrayList<>();

    @TempDir
    private Path directory;

    private FlightDaemon daemon;

    private void start(ConnectionLimits limits, Sharing sharing) {
        FlightConfig config = Daemons.insecure(Map.of("default", List.of(directory)));
        daemon = FlightDaemon.start(Daemons.withSharing(config, limits, sharing), time);
    }

    private void start(ConnectionLimits limits) {
        start(limits, Sharing.DEFAULT);
    }

    @AfterEach
    void close() throws IOException {
        channels.forEach(ManagedChannel::shutdownNow);
        for (Socket stranger : strangers) {
            stranger.close();
        }
        daemon.close();
        time.close();
    }

    private ManagedChannel open() {
        ManagedChannel channel = FlightCalls.open(daemon.port());
        channels.add(channel);
        return channel;
    }

    private static long stat(ManagedChannel channel, String name) {
        return JsonParser.parseString(FlightCalls.act(channel, "stats", ""))
                .getAsJsonObject()
                .get(name)
                .getAsLong();
    }

    /** Opens a connection that starts HTTP/2 and makes no call. */
    private Socket stranger() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), daemon.port());
        byte[] noSettings = {0, 0, 0, 4, 0, 0, 0, 0, 0};
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(noSettings);
        strangers.add(socket);
        return socket;
    }

    /** Opens such a connection. The daemon may close it at once. */
    private void connectIfPossible() {
        try {
            Socket ignored = stranger();
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
        }
    }

    /** Waits until the daemon closes a connection. */
    private static void awaitEnd(Socket socket) throws IOException {
        socket.setSoTimeout(120_000);
        try {
            while (socket.getInputStream().read() >= 0) {
                // These bytes are the daemon's HTTP/2 settings.
            }
        } catch (IOException e) {
            assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void strangersMakeRoomForClients() throws IOException {
        start(new ConnectionLimits(8, 8, NEVER, NEVER));
        ManagedChannel known = open();
        assertThat(stat(known, "connections")).isEqualTo(1);
        for (int i = 0; i < 40; i++) {
            connectIfPossible();
        }
        awaitEnd(strangers.get(0));
        ManagedChannel late = open();

        assertThat(stat(late, "connections")).isEqualTo(8);
        assertThat(known.getState(false)).isEqualTo(ConnectivityState.READY);
        assertThat(stat(known, "connections_ended")).isGreaterThanOrEqualTo(34);
    }

    @Test
    void anAddressHasOnlySomeOfThem() throws IOException {
        start(new ConnectionLimits(100, 4, NEVER, NEVER));
        for (int i = 0; i < 12; i++) {
            connectIfPossible();
        }
        awaitEnd(strangers.get(0));
        assertThat(stat(open(), "connections")).isEqualTo(4);
    }

    @Test
    void aStrangerEndsAndAClientStays() throws IOException {
        start(new ConnectionLimits(8, 8, Duration.ofSeconds(1), NEVER));
        ManagedChannel known = open();
        Daemons.patiently("a first call in time").ignoreExceptions().until(() -> stat(known, "connections") == 1);
        Socket stranger = stranger();

        awaitEnd(stranger);
        assertThat(known.getState(false)).isEqualTo(ConnectivityState.READY);
        assertThat(stat(known, "connections_ended")).isPositive();
    }

    @Test
    void anIdleConnectionEndsAndTheNextCallOpensOne() {
        start(new ConnectionLimits(8, 8, NEVER, Duration.ofMillis(1)));
        ManagedChannel channel = open();
        assertThat(stat(channel, "connections")).isEqualTo(1);
        Daemons.patiently("the end of the connection").until(() -> channel.getState(false) == ConnectivityState.IDLE);
        assertThat(stat(channel, "connections")).isEqualTo(1);
    }

    @Test
    void aReaderBelowTheLeastRateEndsWhenAnotherWaits() throws IOException {
        ArrowStore store = new ArrowStore(directory);
        List<byte[]> frames =
                IntStream.range(0, 8).mapToObj(i -> store.batch(4 << 20)).toList();
        store.write("s", 0, 0, List.of(frames));
        start(ConnectionLimits.DEFAULT, new Sharing(OptionalInt.empty(), 1, Duration.ofSeconds(5), NEVER));
        try (FlightShuffles first = Daemons.client(daemon);
                FlightShuffles second = Daemons.client(daemon);
                FlightShuffles third = Daemons.client(daemon);
                FlightShuffles reader = Daemons.client(daemon)) {
            first.commit("s", 1);
            List<InputStream> stuck = IntStream.range(0, 24)
                    .mapToObj(i -> List.of(first, second, third).get(i % 3).read("s", 0))
                    .toList();
            Daemons.patiently("all memory in use")
                    .until(() -> stat(channels.isEmpty() ? open() : channels.get(0), "memory_used_bytes") >= 28 << 20);
            try (InputStream read = reader.read("s", 0)) {
                assertThat(read.readAllBytes()).hasSize(ArrowStore.stream(frames).length);
            }

            assertThat(stat(channels.get(0), "too_slow")).isPositive();
            Throwable end = Assertions.catchThrowable(() -> {
                for (InputStream one : stuck) {
                    one.readAllBytes();
                }
            });
            assertThat(end)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("The daemon ended this connection: it read less than 1 bytes per second")
                    .hasMessageContaining("Read all streams that you open");
        }
    }
}
