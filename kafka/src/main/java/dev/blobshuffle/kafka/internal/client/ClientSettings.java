package dev.blobshuffle.kafka.internal.client;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a plain application's client: Kafka's own settings, and ours, which begin with
 * {@code blobshuffle.}. Thread-safe.
 */
public final class ClientSettings {
    /** The common prefix of our settings. */
    static final String PREFIX = "blobshuffle.";

    private static final AtomicInteger NAMES = new AtomicInteger();

    private ClientSettings() {}

    /** Properties as a map, including their defaults. */
    public static Map<String, Object> toMap(Properties settings) {
        Map<String, Object> map = new HashMap<>();
        for (String name : settings.stringPropertyNames()) {
            map.put(name, settings.getProperty(name));
        }
        settings.forEach((name, value) -> map.put(String.valueOf(name), value));
        return map;
    }

    /**
     * The settings with the values that the providers of {@code config.providers} have for them.
     * Kafka's clients resolve their own settings so, and ours follow.
     *
     * @throws org.apache.kafka.common.config.ConfigException fatal: a provider cannot be opened or
     *     asked
     */
    public static Map<String, Object> resolved(Map<String, ?> settings) {
        return new HashMap<>(new AbstractConfig(new ConfigDef(), settings, false).originals());
    }

    /** Kafka's own settings, without ours. */
    public static Map<String, Object> kafkas(Map<String, ?> settings) {
        Map<String, Object> kafkas = new HashMap<>(settings);
        kafkas.keySet().removeIf(name -> name.startsWith(PREFIX));
        return kafkas;
    }

    /** The client id that the application gave, or a new one. */
    static String clientId(@Nullable String given, String role) {
        return given == null || given.isEmpty() ? "blobshuffle-" + role + "-" + NAMES.incrementAndGet() : given;
    }

    /** The settings for serializers, interceptors and partitioners. */
    static Map<String, Object> forPlugins(Map<String, Object> originals, String clientId) {
        Map<String, Object> settings = new HashMap<>(originals);
        settings.put("client.id", clientId);
        return settings;
    }
}
