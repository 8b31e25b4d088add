package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.core.failure.InvalidSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Which brokers a command asks, and how: options that commands share, and the settings of Kafka
 * clients that they make. Filled by the command line; owned by the command.
 */
public final class BrokerOptions {
    private static final String BROKERS = "bootstrap.servers";
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    @Mixin
    private ConfigOptions config;

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT,…",
            description = "The brokers (default: bootstrap.servers from --config or --profile).")
    private @Nullable String bootstrap;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public BrokerOptions() {}

    /** The settings of the application, if the user named them. */
    public ConfigOptions config() {
        if (bootstrap != null) {
            config.ignoreCurrent();
        }
        return config;
    }

    /** Where the brokers are, if anything names them. */
    public Optional<String> named() {
        return Optional.ofNullable(bootstrap)
                .or(() -> Optional.ofNullable(config().connection().get(BROKERS)));
    }

    /**
     * Where the brokers are.
     *
     * @throws InvalidSettings fatal: nothing names them, or a file of settings cannot be read
     */
    public String bootstrap() {
        return named().orElseThrow(
                        () -> new InvalidSettings("Cannot find the brokers: none are named. Give --bootstrap,"
                                + " or --config or --profile with " + BROKERS + "."));
    }

    /**
     * The user's settings, with timeouts for a user who waits at a terminal.
     *
     * @throws InvalidSettings fatal: nothing names the brokers, or a file of settings cannot be
     *     read
     * @throws KafkaException nothing listens at the addresses
     */
    public Map<String, Object> client() {
        Map<String, Object> client = client(CALL_TIMEOUT);
        BrokerReach.check(bootstrap());
        return client;
    }

    /**
     * The user's settings, with timeouts where they have none.
     *
     * @param timeout of a call
     * @throws InvalidSettings fatal: nothing names the brokers, or a file of settings cannot be
     *     read
     */
    public Map<String, Object> client(Duration timeout) {
        Map<String, Object> client = new HashMap<>(config().connection());
        client.put(BROKERS, bootstrap());
        client.putIfAbsent("default.api.timeout.ms", millis(timeout));
        client.putIfAbsent("request.timeout.ms", Math.min(millis(timeout), millis(REQUEST_TIMEOUT)));
        return client;
    }

    /**
     * Finds out whether anything listens where the brokers shall be.
     *
     * @param client what {@link #client(Duration)} returned
     * @throws KafkaException each address refuses connections, or its host is unknown
     */
    public static void checkReach(Map<String, Object> client) {
        BrokerReach.check(String.valueOf(client.get(BROKERS)));
    }

    private static int millis(Duration duration) {
        return (int) Math.min(duration.toMillis(), Integer.MAX_VALUE);
    }
}
