package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.kafka.internal.settings.KafkaSettings;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reads the settings {@code blobshuffle.*} of a Spring environment, with Spring's relaxed names:
 * {@code blobshuffle.batch.max-bytes}, {@code blobshuffle.batch.maxBytes} and
 * {@code BLOBSHUFFLE_BATCH_MAX_BYTES} all name {@code blobshuffle.batch.max.bytes}. Stateless.
 */
final class EnvironmentSettings {
    private static final Logger LOG = LoggerFactory.getLogger(EnvironmentSettings.class);
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("blobshuffle");
    private static final Map<String, String> BY_LETTERS = byLetters();
    private static final Set<String> OF_MESSAGING =
            Settings.ofMessaging().stream().map(EnvironmentSettings::letters).collect(Collectors.toSet());

    private EnvironmentSettings() {}

    /**
     * The settings by their full names. Resolves placeholders, and joins lists by commas. Leaves
     * out the settings of messaging, which the application passes to messaging itself.
     *
     * @throws InvalidSettingsException fatal: a property file contains a setting that does not
     *     exist. An environment variable of such a name is ignored, because Kubernetes sets some
     *     for every Service: {@code BLOBSHUFFLE_CACHE_SERVICE_HOST}.
     */
    static Map<String, String> read(ConfigurableEnvironment environment) {
        Map<String, String> settings = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource listed) {
                // Earlier sources take precedence.
                read(listed, environment).forEach(settings::putIfAbsent);
            }
        }
        return settings;
    }

    private static Map<String, String> read(
            IterableConfigurationPropertySource source, ConfigurableEnvironment environment) {
        Map<String, TreeMap<Integer, String>> elements = new LinkedHashMap<>();
        for (ConfigurationPropertyName property : source) {
            ConfigurationProperty value =
                    PREFIX.isAncestorOf(property) ? source.getConfigurationProperty(property) : null;
            if (value == null) {
                continue;
            }
            boolean isElement = property.isNumericIndex(property.getNumberOfElements() - 1);
            ConfigurationPropertyName name = isElement ? property.getParent() : property;
            int index =
                    isElement ? Integer.parseInt(property.getLastElement(ConfigurationPropertyName.Form.ORIGINAL)) : 0;
            String text = environment.resolveRequiredPlaceholders(String.valueOf(value.getValue()));
            setting(text(name), source)
                    .ifPresent(setting -> elements.computeIfAbsent(setting, unknown -> new TreeMap<>())
                            .put(index, text));
        }
        Map<String, String> settings = new HashMap<>();
        elements.forEach((setting, values) -> settings.put(setting, String.join(",", values.values())));
        return settings;
    }

    /** The name in its original case, because names of nodes may have capital letters. */
    private static String text(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(element -> name.getElement(element, ConfigurationPropertyName.Form.ORIGINAL))
                .collect(Collectors.joining("."));
    }

    /** The full name of a property's setting; empty if the property is ignored. */
    private static Optional<String> setting(String property, ConfigurationPropertySource source) {
        for (SettingGroup group : KafkaSettings.GROUPS) {
            if (group.names(property).contains(property)) {
                return Optional.of(property);
            }
        }
        String relaxed = BY_LETTERS.get(letters(property));
        if (relaxed == null && !OF_MESSAGING.contains(letters(property))) {
            if (!(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                Settings.requireKnown(property, KafkaSettings.GROUPS);
            }
            LOG.debug("Ignoring the environment variable {}: it names no setting.", property);
        }
        return Optional.ofNullable(relaxed);
    }

    private static Map<String, String> byLetters() {
        Map<String, String> names = new HashMap<>();
        for (SettingGroup group : KafkaSettings.GROUPS) {
            for (Setting<?> setting : group.settings()) {
                names.put(letters(setting.name()), setting.name());
            }
            group.names(Setting.PREFIX).forEach(name -> names.put(letters(name), name));
        }
        return names;
    }

    private static String letters(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }
}
