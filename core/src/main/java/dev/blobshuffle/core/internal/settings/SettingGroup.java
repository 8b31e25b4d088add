package dev.blobshuffle.core.internal.settings;

import java.util.List;

/**
 * The settings of one component. Front doors choose the groups that they use; a name that no group
 * knows is an error. Stateless.
 */
public interface SettingGroup {
    /** The group's heading in the reference. */
    String title();

    /** The settings, in the order of the reference. */
    List<Setting<?>> settings();

    /**
     * The valid names to compare a given name with: those of the settings, and names of a pattern
     * that cannot be listed, such as those with a node's name.
     */
    default List<String> names(String given) {
        return settings().stream().map(Setting::name).toList();
    }

    /**
     * Checks values in combination.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: two values contradict
     *     each other
     */
    default void check(Settings settings) {}
}
