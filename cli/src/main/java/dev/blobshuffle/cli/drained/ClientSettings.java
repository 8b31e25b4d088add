package dev.blobshuffle.cli.drained;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The settings of the Kafka clients of commands that read logs. Stateless. */
public final class ClientSettings {
    private static final int CALL_TIMEOUT_MILLIS = 30_000;
    private static final int REQUEST_TIMEOUT_MILLIS = 10_000;

    private ClientSettings() {}

    /**
     * What the user gave, with timeouts for somebody who waits at a terminal.
     *
     * @param file properties, for example security; null for none
     * @throws IOException if the file cannot be read
     */
    public static Map<String, Object> of(String bootstrap, @Nullable Path file) throws IOException {
        Properties properties = new Properties();
        if (file != null) {
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
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
