package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options that select the brokers, shared by commands, and the Kafka client settings that result.
 * Filled by the command line; owned by the command.
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

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public BrokerOptions() {}

    /** The settings of the application, if the user specified them. */
    public ConfigOptions config() {
        if (bootstrap != null) {
            config.ignoreCurrent();
        }
        return config;
    }

    /** The brokers' addresses, if specified. */
    public Optional<String> named() {
        return Optional.ofNullable(bootstrap)
                .or(() -> Optional.ofNullable(config().connection().get(BROKERS)));
    }

    /**
     * The brokers' addresses.
     *
     * @throws InvalidSettingsException fatal: no option or setting specifies them, or a file of
     *     settings is unreadable
     */
    public String bootstrap() {
        return named().orElseThrow(
                        () -> new InvalidSettingsException("Cannot find the brokers: none are named. Give --bootstrap,"
                                + " or --config or --profile with " + BROKERS + "."));
    }

    /**
     * The user's settings, with timeouts for interactive use.
     *
     * @throws InvalidSettingsException fatal: no option or setting specifies the brokers, or a file
     *     of settings is unreadable
     * @throws KafkaException nothing listens at the addresses
     */
    public Map<String, Object> client() {
        Map<String, Object> client = client(CALL_TIMEOUT);
        BrokerReach.check(bootstrap());
        return client;
    }

    /**
     * The user's settings, with default timeouts.
     *
     * @param timeout of a call
     * @throws InvalidSettingsException fatal: no option or setting specifies the brokers, or a file
     *     of settings is unreadable
     */
    public Map<String, Object> client(Duration timeout) {
        Map<String, Object> client = new HashMap<>(config().connection());
        client.put(BROKERS, bootstrap());
        client.putIfAbsent("default.api.timeout.ms", millis(timeout));
        client.putIfAbsent("request.timeout.ms", Math.min(millis(timeout), millis(REQUEST_TIMEOUT)));
        return client;
    }

    /**
     * Checks that a process listens at the brokers' addresses.
     *
     * @param client the result of {@link #client(Duration)}
     * @throws KafkaException each address refuses connections, or its host is unknown
     */
    public static void checkReach(Map<String, Object> client) {
        BrokerReach.check(String.valueOf(client.get(BROKERS)));
    }

    private static int millis(Duration duration) {
        return (int) Math.min(duration.toMillis(), Integer.MAX_VALUE);
    }
}
