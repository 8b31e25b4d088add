package dev.blobshuffle.messaging.internal;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import dev.blobshuffle.core.internal.settings.Settings;
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

    /** All settings that messaging knows, in the order of the reference. */
    public static final List<SettingGroup> GROUPS = Stream.concat(
                    EngineSettings.GROUPS.stream(), Stream.of(new MessagingSettings()))
            .toList();

    @Override
    public String title() {
        return "Messaging";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(LOG, INSTANCE_NAME);
    }

    /**
     * Reads the settings of messaging.
     *
     * @throws InvalidSettings fatal: a key under the prefix is unknown, a value is not of its form,
     *     or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration) {
        return Settings.parse(configuration, GROUPS);
    }

    /**
     * The log's URI.
     *
     * @throws InvalidSettings fatal: it was not given
     */
    public static String log(Settings settings) {
        return settings.value(LOG)
                .orElseThrow(
                        () -> new InvalidSettings(
                                "Cannot start: setting " + LOG
                                        + " is missing. Give the URI of the commit log, for example postgresql://localhost/messaging."));
    }
}
