package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.messaging.internal.MessagingSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The application's own settings. A command finds the store, the brokers and security there if no
 * option specifies them. Filled by the command line; owned by the command.
 */
public final class ConfigOptions {
    /** Kafka Streams' prefix of settings for the admin client alone. */
    private static final String ADMIN_PREFIX = "admin.";

    /**
     * Settings of an admin client that describe the application, and not the connection to the
     * brokers.
     */
    private static final Set<String> NOT_CONNECTION =
            Set.of("client.id", "metric.reporters", "auto.include.jmx.reporter", "enable.metrics.push");

    private static final ConfigDef ADMIN = AdminClientConfig.configDef();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings of the application: names the store, brokers and security. Options win over it.")
    private @Nullable Path config;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = {
                "The same, from a profile: 'blobshuffle profile create NAME'. --config wins over it. '' is none.",
                "Default: BLOBSHUFFLE_PROFILE, else the profile in use, unless --config or the servers are given."
            })
    private @Nullable String profile;

    private final Profiles profiles;
    private boolean ignoresCurrent;

    /** The settings. Read only once, because the file may be a pipe. */
    private @Nullable Map<String, String> values;

    /** Created by the command line. */
    public ConfigOptions() {
        this(Profiles.ofUser());
    }

    /** Options with these profiles. */
    ConfigOptions(Profiles profiles) {
        this.profiles = profiles;
    }

    /**
     * Ignores the current profile, because the command line names other servers: settings of one
     * cluster do not fit another. A profile named on the command line stays.
     */
    public void ignoreCurrent() {
        ignoresCurrent = true;
    }

    /**
     * Whether the user specified the settings of an application, and not only a connection to its
     * store and brokers.
     */
    public boolean isForApplication() {
        return config != null;
    }

    /**
     * All settings in the files.
     *
     * @throws InvalidSettingsException fatal: a file is unreadable, or others may read its secrets
     */
    public Map<String, String> values() {
        if (values == null) {
            Map<String, String> read = new HashMap<>();
            chosenProfile().ifPresent(name -> read.putAll(profiles.read(name)));
            if (config != null) {
                read.putAll(read("--config", config));
            }
            values = Map.copyOf(read);
        }
        return values;
    }

    private Optional<String> chosenProfile() {
        if (profile != null) {
            return Optional.of(profile).filter(name -> !name.isEmpty());
        }
        return config != null || ignoresCurrent ? Optional.empty() : profiles.current();
    }

    /**
     * The URI of the commit log, if specified.
     *
     * @param given by {@code --log}
     */
    public Optional<String> log(@Nullable String given) {
        return Optional.ofNullable(given).or(() -> value(MessagingSettings.LOG.name()));
    }

    /** The value of one setting, if a file has it. */
    public Optional<String> value(String name) {
        return Optional.ofNullable(values().get(name));
    }

    /**
     * The settings for a Kafka client's connection to the brokers: security, timeouts, addresses.
     * Excludes other settings of the application, such as reporters, whose classes are not on the
     * class path of the command line.
     */
    public Map<String, String> connection() {
        Map<String, String> connection = new HashMap<>();
        Set<String> names = new HashSet<>(ADMIN.names());
        names.removeAll(NOT_CONNECTION);
        values().forEach((name, value) -> {
            if (names.contains(name) || name.startsWith("config.providers")) {
                connection.put(name, value);
            }
        });
        for (String name : names) {
            value(ADMIN_PREFIX + name).ifPresent(value -> connection.put(name, value));
        }
        return connection;
    }

    /**
     * Reads a properties file.
     *
     * @param option that specified it, for the message
     * @throws InvalidSettingsException fatal: the file is unreadable
     */
    public static Map<String, String> read(String option, Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidSettingsException("Cannot read " + option + ": " + e + ". Give a properties file.", e);
        }
        Map<String, String> read = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> read.put(name, properties.getProperty(name)));
        return read;
    }
}
