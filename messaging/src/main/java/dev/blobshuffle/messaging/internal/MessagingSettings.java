package dev.blobshuffle.messaging.internal;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.EncryptionSettings;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.WriteSettings;
import dev.blobshuffle.core.settings.ByteSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The settings of messaging. */
public final class MessagingSettings implements SettingGroup {
    /** URI of the commit log. */
    public static final Setting<Optional<String>> LOG = Setting.text(
            "log",
            "required by messaging",
            "URI of the commit log, the same in every instance: "
                    + "`postgresql://host:5432/database?schema=…&credentials=FILE` ([PostgreSQL](guides/messaging.md#the-database)).");

    /** Names the instance to the log. */
    public static final Setting<Optional<String>> INSTANCE_NAME = Setting.text(
            "instance.name",
            "`blobshuffle`",
            "Name of this instance in the log's database, as PostgreSQL's `application_name` shows it.");

    /** All settings that messaging accepts, in the order of the reference. */
    public static final List<SettingGroup> GROUPS = Stream.concat(
                    EngineSettings.GROUPS.stream(), Stream.of(new MessagingSettings()))
            .toList();

    /**
     * The most bytes of a batch whose records go into the log itself. A log batch holds 64 KiB of
     * entries, and bytes in PostgreSQL are expensive.
     */
    private static final ByteSize MOST_INLINE = new ByteSize(25 << 10);

    @Override
    public String title() {
        return "Messaging";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LOG, INSTANCE_NAME);
    }

    @Override
    public void check(Settings settings) {
        if (settings.value(WriteSettings.FALLBACK_ENABLED)) {
            throw new InvalidSettingsException("Cannot use " + WriteSettings.FALLBACK_ENABLED
                    + "=true with messaging: the log's database would have to take all records. Leave it out;"
                    + " publishers wait until the store works.");
        }
        settings.value(WriteSettings.INLINE_MAX_BYTES)
                .filter(given -> given.compareTo(MOST_INLINE) > 0)
                .ifPresent(given -> {
                    throw new InvalidSettingsException("Cannot use " + WriteSettings.INLINE_MAX_BYTES + "=" + given
                            + " with messaging: the log takes batches of at most " + MOST_INLINE
                            + ". Give that or less.");
                });
    }

    /**
     * The batching options: the settings, limited to what a log takes inline. Inlines nothing if
     * records are encrypted, because the log does not encrypt them.
     */
    static BatcherOptions batching(Settings settings) {
        long usual = BatcherOptions.builder(settings).build().inlineBytes();
        boolean isEncrypted = settings.value(EncryptionSettings.KEYS).isPresent();
        return BatcherOptions.builder(settings)
                .inlineBytes(isEncrypted ? 0 : Math.min(usual, MOST_INLINE.bytes()))
                .build();
    }

    /**
     * Parses the settings of messaging.
     *
     * @throws InvalidSettingsException fatal: a key under the prefix is unknown, a value is
     *     malformed, or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration) {
        return Settings.parse(configuration, GROUPS);
    }

    /** The log's URI without parameters, for operators. */
    static String logShown(Settings settings) {
        return log(settings).replaceAll("\\?.*", "");
    }

    /**
     * The log's URI.
     *
     * @throws InvalidSettingsException fatal: the setting is missing
     */
    public static String log(Settings settings) {
        return settings.value(LOG)
                .orElseThrow(
                        () -> new InvalidSettingsException(
                                "Cannot start: setting " + LOG
                                        + " is missing. Give the URI of the commit log, for example postgresql://localhost/messaging."));
    }
}
