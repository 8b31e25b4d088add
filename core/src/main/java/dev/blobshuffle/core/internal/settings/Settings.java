package dev.blobshuffle.core.internal.settings;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.text.EditDistance;
import dev.blobshuffle.core.zone.Zone;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The checked values of all settings of an instance. Components define their own settings in {@link
 * SettingGroup}s; {@code docs/settings.md} lists all. Immutable.
 */
public final class Settings {
    private final List<SettingGroup> groups;
    private final Map<Setting<?>, Object> values;
    private final Zone zone;

    private Settings(List<SettingGroup> groups, Map<Setting<?>, Object> values, Zone zone) {
        this.groups = groups;
        this.values = values;
        this.zone = zone;
    }

    /**
     * Reads the settings among the configuration of an application: the keys that begin with {@code
     * blobshuffle.}. Other keys belong to other libraries, but {@code client.rack} names the zone
     * if {@code blobshuffle.zone} does not.
     *
     * @param groups the groups of the front door
     * @throws InvalidSettingsException fatal: a key under the prefix is unknown, a value is
     *     malformed, or values contradict each other
     */
    public static Settings parse(Map<String, ?> configuration, List<SettingGroup> groups) {
        return parse(configuration, groups, System.getenv());
    }

    /** As {@link #parse(Map, List)}, with other environment variables. */
    public static Settings parse(
            Map<String, ?> configuration, List<SettingGroup> groups, Map<String, String> environment) {
        Map<String, Setting<?>> byName = new HashMap<>();
        groups.forEach(group -> group.settings().forEach(setting -> byName.put(setting.name(), setting)));
        Map<Setting<?>, Object> values = new HashMap<>();
        configuration.forEach((key, value) -> {
            if (!key.startsWith(Setting.PREFIX)) {
                return;
            }
            requireKnown(key, groups);
            Setting<?> setting = byName.get(key);
            if (setting != null) {
                if (value == null) {
                    throw new InvalidSettingsException("Cannot use setting " + key + ": it is null. Give "
                            + setting.form() + ", or leave it out.");
                }
                values.put(setting, setting.parse(value));
            }
        });
        MisspeltNames.warn(configuration.keySet());
        Object own = values.getOrDefault(ZoneSettings.ZONE, Optional.empty());
        Zone zone = Zone.own(
                own instanceof Optional<?> name ? name.map(Object::toString) : Optional.empty(),
                Optional.ofNullable(configuration.get("client.rack")).map(Object::toString),
                environment);
        Settings settings = new Settings(groups, values, zone);
        groups.forEach(group -> group.check(settings));
        return settings;
    }

    /**
     * Checks a name that begins with {@code blobshuffle.}.
     *
     * @throws InvalidSettingsException fatal: no group knows the name; the message shows the front
     *     door that has it, or the nearest known name
     */
    public static void requireKnown(String key, List<SettingGroup> groups) {
        List<String> known =
                groups.stream().flatMap(group -> group.names(key).stream()).toList();
        if (!known.contains(key)) {
            FrontDoor.of(key)
                    .filter(door -> known.stream().noneMatch(door::has))
                    .ifPresent(door -> {
                        throw new InvalidSettingsException(
                                "Cannot use setting " + key + " here: only " + door.remedy());
                    });
            String nearest = known.stream()
                    .min(Comparator.comparingInt(candidate -> EditDistance.between(candidate, key)))
                    .orElseThrow();
            throw new InvalidSettingsException("Cannot use setting " + key
                    + ": there is none of this name. The nearest is " + nearest + "; docs/settings.md lists all.");
        }
    }

    /** The names of the settings that messaging alone has. */
    public static Set<String> ofMessaging() {
        return FrontDoor.MESSAGING.names();
    }

    /** The failure for two contradicting settings. */
    public static InvalidSettingsException contradiction(
            Setting<?> one, Object value, Setting<?> other, Object otherValue, String remedy) {
        return new InvalidSettingsException(
                "Cannot use setting " + one + "=" + value + " with " + other + "=" + otherValue + ". " + remedy);
    }

    /** The value of a setting, or its default. */
    @SuppressWarnings("unchecked") // Only parse adds values, and each comes from its setting.
    public <T> T value(Setting<T> setting) {
        Object given = values.get(setting);
        return given == null ? setting.defaultValue() : (T) given;
    }

    /** Whether a setting was given. */
    public boolean isGiven(Setting<?> setting) {
        return values.containsKey(setting);
    }

    /** The zone of this instance; {@link Zone#SINGLE} if none is configured. */
    public Zone zone() {
        return zone;
    }

    /** The given settings with their values, without the parameters of URIs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (SettingGroup group : groups) {
            for (Setting<?> setting : group.settings()) {
                if (isGiven(setting)) {
                    text.append(text.isEmpty() ? "" : ", ")
                            .append(setting)
                            .append('=')
                            .append(shown(value(setting)));
                }
            }
        }
        return text.toString();
    }

    private static Object shown(Object value) {
        Object given = value instanceof Optional<?> optional && optional.isPresent() ? optional.get() : value;
        return given instanceof String text && text.contains("://") ? text.replaceAll("\\?.*", "?…") : given;
    }
}
