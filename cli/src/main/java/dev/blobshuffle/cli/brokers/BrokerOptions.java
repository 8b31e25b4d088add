package dev.blobshuffle.cli.brokers;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which brokers a command asks, and how: options that commands share, and the settings of Kafka clients that they make. Filled by the command line; owned by the command. */
public final class BrokerOptions {
    private static final int CALL_TIMEOUT_MILLIS = 30_000;
    private static final int REQUEST_TIMEOUT_MILLIS = 10_000;

    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "The brokers.")
    private String bootstrap;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description = "Properties of the Kafka clients, for example security.")
    private @Nullable Path commandConfig;

    /** Made by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public BrokerOptions() {}

    /** Where the brokers are. */
    public String bootstrap() {
        return bootstrap;
    }

    /**
     * What the user gave, with timeouts for somebody who waits at a terminal.
     *
     * @throws IOException if the file of settings cannot be read
     */
    public Map<String, Object> client() throws IOException {
        Properties properties = new Properties();
        if (commandConfig != null) {
            try (Reader reader = Files.newBufferedReader(commandConfig, StandardCharsets.UTF_8)) {
                properties.load(reader);
            }
        }
        Map<String, Object> client = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> client.put(name, properties.getProperty(name)));
        client.put("bootstrap.servers", bootstrap);
        client.putIfAbsent("default.api.timeout.ms", CALL_TIMEOUT_MILLIS);
        client.putIfAbsent("request.timeout.ms", REQUEST_TIMEOUT_MILLIS);
        return client;
    }
}
