package dev.blobshuffle.core.internal.settings;

import java.util.List;

/**
 * The settings of one component, which defines them and says what they mean. Front doors choose the
 * groups that they know; a name that no group knows is refused. Stateless.
 */
public interface SettingGroup {
    /** What the group is about, as a heading of the reference. */
    String title();

    /** The settings, in the order of the reference. */
    List<Setting<?>> settings();

    /**
     * The names that a given one may stand for: those of the settings, and names of a pattern that
     * nobody can list, such as those that hold a node's name.
     */
    default List<String> names(String given) {
        return settings().stream().map(Setting::name).toList();
    }

    /**
     * Checks what values mean together.
     *
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: two values contradict each other
     */
    default void check(Settings settings) {}
}
