package dev.blobshuffle.flightdaemon.internal.server;

import static org.awaitility.Awaitility.await;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.flight.FlightServer;
import dev.blobshuffle.flight.FlightShuffles;
import dev.blobshuffle.flightdaemon.internal.server.call.ConnectionLimits;
import dev.blobshuffle.flightdaemon.internal.server.call.Sharing;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.awaitility.core.ConditionFactory;

/** Daemons on this machine, and clients of them. */
final class Daemons {
    /** The minimum of each budget, and no memory for blobs. */
    static final FlightConfig.Budgets BUDGETS = new FlightConfig.Budgets(
            FlightConfig.LEAST_MEMORY, 64 << 20, FlightConfig.LEAST_PUT_MEMORY, 0, OptionalLong.empty());

    private Daemons() {}

    static FlightConfig insecure(Map<String, List<Path>> directories) {
        return config(directories, new FlightConfig.Security.InsecureLoopback(), Optional.empty());
    }

    static FlightConfig config(
            Map<String, List<Path>> directories, FlightConfig.Security security, Optional<Path> ticketKey) {
        return new FlightConfig(
                "127.0.0.1",
                0,
                Optional.empty(),
                directories,
                security,
                BUDGETS,
                Duration.ofHours(1),
                ticketKey,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
    }

    static FlightConfig withMetrics(FlightConfig config) {
        Optional<Endpoint> listen = Optional.of(new Endpoint("127.0.0.1", 0));
        return with(config, config.budgets(), config.http(), listen, config.copies());
    }

    static FlightConfig withBudgets(FlightConfig config, FlightConfig.Budgets budgets) {
        return with(config, budgets, config.http(), config.metrics(), config.copies());
    }

    /** Adds copies of namespace {@code default}. */
    static FlightConfig withCopies(FlightConfig config, String uri) {
        return with(config, config.budgets(), config.http(), config.metrics(), Map.of("default", uri));
    }

    static FlightConfig withHttp(FlightConfig config, HttpConfig http) {
        return with(config, config.budgets(), Optional.of(http), config.metrics(), config.copies());
    }

    private static FlightConfig with(
            FlightConfig config,
            FlightConfig.Budgets budgets,
            Optional<HttpConfig> http,
            Optional<Endpoint> metrics,
            Map<String, String> copies) {
        return new FlightConfig(
                config.host(),
                config.port(),
                config.advertised(),
                config.directories(),
                config.security(),
                budgets,
                config.ticketLifetime(),
                config.ticketKeyFile(),
                config.lease(),
                http,
                metrics,
                copies,
                config.connections(),
                config.sharing());
    }

    static FlightConfig withSharing(FlightConfig config, ConnectionLimits connections, Sharing sharing) {
        return new FlightConfig(
                config.host(),
                config.port(),
                config.advertised(),
                config.directories(),
                config.security(),
                config.budgets(),
                config.ticketLifetime(),
                config.ticketKeyFile(),
                config.lease(),
                config.http(),
                config.metrics(),
                config.copies(),
                connections,
                sharing);
    }

    static FlightConfig withHttp(FlightConfig config, HttpConfig.Transport transport, HttpConfig.Limits limits) {
        return withHttp(config, new HttpConfig("127.0.0.1", 0, transport, limits));
    }

    static int httpPort(FlightDaemon daemon) {
        return URI.create(daemon.httpLocation().orElseThrow()).getPort();
    }

    static FlightDaemon start(SystemTime time, Path directory) {
        return FlightDaemon.start(insecure(Map.of("default", List.of(directory))), time);
    }

    static FlightShuffles client(FlightDaemon daemon) {
        return FlightShuffles.connect(FlightServer.insecureLoopback(daemon.port()), "default");
    }

    /** A wait that usually ends at once. It may take two minutes on a busy machine. */
    static ConditionFactory patiently(String what) {
        return await(what)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofMinutes(2));
    }
}
