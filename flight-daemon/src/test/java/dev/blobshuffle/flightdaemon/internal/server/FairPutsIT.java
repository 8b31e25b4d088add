package dev.blobshuffle.flightdaemon.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.call.ConnectionLimits;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two tenants share a memory budget of two puts. */
class FairPutsIT {
    private static final byte[] ROW = new byte[8];
    private static final Duration NEVER = Duration.ofHours(24);

    @TempDir
    private static Path files;

    private static SecureDaemon secure;

    private final SystemTime time = new SystemTime();
    private final List<ManagedChannel> channels = new ArrayList<>();

    @TempDir
    private Path directory;

    private FlightDaemon daemon;
    private FlightShuffles client;

    @BeforeAll
    static void makeFiles() throws IOException {
        secure = new SecureDaemon(files);
    }

    private void start(Sharing sharing) throws IOException {
        FlightConfig config = secure.config(Map.of(
                "default", List.of(Files.createDirectory(directory.resolve("default"))),
                "other", List.of(Files.createDirectory(directory.resolve("other")))));
        daemon = FlightDaemon.start(Daemons.withSharing(config, ConnectionLimits.DEFAULT, sharing), time);
        client = secure.client(daemon, SecureDaemon.TOKEN);
    }

    @AfterEach
    void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        client.close();
        daemon.close();
        time.close();
    }

    /** Opens a put on a separate connection. */
    private RawPut put(String namespace, int map) {
        String token = namespace.equals("default") ? SecureDaemon.TOKEN : SecureDaemon.OTHER_TOKEN;
        ManagedChannel channel = secure.channel(daemon, token);
        channels.add(channel);
        return new RawPut(channel).begin(namespace, "s", map, 0, 1);
    }

    private long stat(String name) {
        return JsonParser.parseString(client.stats())
                .getAsJsonObject()
                .get(name)
                .getAsLong();
    }

    private void await(String name, long value) {
        Daemons.patiently(name + " " + value).until(() -> stat(name) == value);
    }

    @Test
    void slowPutsOfATenantDoNotStopAnother() throws Exception {
        start(Sharing.DEFAULT);
        put("default", 0).batch(0, 1, ROW);
        RawPut second = put("default", 1).batch(0, 1, ROW);
        await("running_puts", 2);
        await("waiting_puts", 1);

        assertThat(put("other", 0).batch(0, 1, ROW).rows(1).finish()).contains("\"rows\":1");
        assertThat(stat("waiting_puts")).isEqualTo(1);
        assertThat(second.isEnded()).isFalse();
    }

    @Test
    void aPutBelowTheLeastRateEndsWhenAnotherWaits() throws Exception {
        start(new Sharing(OptionalInt.of(2), 64 << 10, Duration.ofMillis(1), NEVER));
        RawPut first = put("default", 0).batch(0, 1, ROW);
        RawPut second = put("default", 1).batch(0, 1, ROW);
        await("put_bytes", 2 * RawPut.stored(RawPut.header(3, 1, false, 8), ROW).length);
        // No put waits during this time, so the daemon ends none.
        long since = stat("uptime_seconds");
        Daemons.patiently("three seconds").until(() -> stat("uptime_seconds") > since + 3);
        assertThat(first.isEnded() || second.isEnded()).isFalse();
        RawPut waiting = put("other", 0).batch(0, 1, ROW).rows(1);

        assertThat(waiting.finish()).contains("\"rows\":1");
        Daemons.patiently("the end of one").until(() -> first.isEnded() || second.isEnded());
        Status status = (first.isEnded() ? first : second).status();
        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription())
                .contains("sent less than 65536 bytes per second in 0.001 s while others waited to put", "Begin again");
        assertThat(stat("too_slow")).isPositive();
    }

    @Test
    void theTenantWithTheMostPutsLosesTheOneThatHasSentTheLeast() throws Exception {
        start(new Sharing(OptionalInt.of(2), 1, NEVER, Duration.ofMillis(1)));
        RawPut more = put("default", 0).batch(0, 1, new byte[1 << 20]);
        await("running_puts", 1);
        Daemons.patiently("the first batch").until(() -> stat("put_bytes") > 1 << 20);
        RawPut least = put("default", 1).batch(0, 1, ROW);
        await("running_puts", 2);
        RawPut waiting = put("other", 0).batch(0, 1, ROW).rows(1);

        assertThat(waiting.finish()).contains("\"rows\":1");
        Status status = least.status();
        assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status.getDescription())
                .contains("another tenant waited for 0.001 s, and yours has the most puts", "fewer maps at a time");
        assertThat(stat("gave_way")).isEqualTo(1);
        assertThat(more.rows(1).finish()).contains("\"rows\":1");
    }

    @Test
    void aTenantHasSomeCallsAtATimeAndOthersGoOn() throws Exception {
        start(new Sharing(OptionalInt.empty(), 2, 1, NEVER, NEVER));
        try (FlightShuffles other = secure.client(daemon, SecureDaemon.OTHER_TOKEN)) {
            put("default", 0).batch(0, 1, ROW);
            put("default", 1).batch(0, 1, ROW);
            Daemons.patiently("two calls")
                    .until(() -> JsonParser.parseString(other.stats())
                                    .getAsJsonObject()
                                    .get("running_puts")
                                    .getAsInt()
                            == 2);

            RawPut third = put("default", 2);
            Daemons.patiently("the end of the third").until(third::isEnded);
            Status status = third.status();
            assertThat(status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(status.getDescription()).contains("2 calls", "--calls-per-tenant");
            JsonObject stats = JsonParser.parseString(other.stats()).getAsJsonObject();
            assertThat(stats.get("calls_over_limit").getAsInt()).isEqualTo(1);
            assertThat(put("other", 0).batch(0, 1, ROW).rows(1).finish()).contains("\"rows\":1");
            channels.get(0).shutdownNow();
            Daemons.patiently("a place").ignoreExceptions().until(() -> stat("puts") == 1);
        }
    }
}
