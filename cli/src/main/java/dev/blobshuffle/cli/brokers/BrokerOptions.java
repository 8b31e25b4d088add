package dev.blobshuffle.cli.brokers;

import dev.blobshuffle.cli.option.ConfigOptions;
import dev.blobshuffle.cli.option.ExitStatus;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
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
            names = {"--bootstrap", "--bootstrap-server"},
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

    /**
     * Runs a command that asks the brokers, and says why if it fails.
     *
     * @param task the start of a message of failure, such as {@code Cannot show topic t}; evaluated
     *     only then
     * @return the exit status
     */
    public int ask(PrintWriter err, Supplier<String> task, Question question) {
        int status = ExitStatus.FAILED;
        try (SystemTime time = new SystemTime()) {
            return question.ask(time);
        } catch (ExecutionException e) {
            err.println("Cannot ask the brokers at " + bootstrap() + ": " + e.getCause()
                    + ". Check --bootstrap and --config.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println(task.get() + ": interrupted. Run it again.");
        } catch (BlobShuffleException | KafkaException | IllegalStateException e) {
            err.println(task.get() + ": " + ClientFailure.text(e));
            status = ExitStatus.of(e);
        }
        err.flush();
        return status;
    }

    /** The work of a command with the brokers. */
    @FunctionalInterface
    public interface Question {
        /**
         * Asks it.
         *
         * @return the exit status
         */
        int ask(SystemTime time) throws ExecutionException, InterruptedException;
    }

    private static int millis(Duration duration) {
        return (int) Math.min(duration.toMillis(), Integer.MAX_VALUE);
    }
}
