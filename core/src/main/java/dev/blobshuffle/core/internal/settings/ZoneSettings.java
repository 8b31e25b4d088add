package dev.blobshuffle.core.internal.settings;

import java.util.List;
import java.util.Optional;

/** The setting for the zone of an instance. Components read {@link Settings#zone()}. */
public final class ZoneSettings implements SettingGroup {
    /** This instance's availability zone. */
    public static final Setting<Optional<String>> ZONE = Setting.text(
            "zone",
            "`client.rack`, then the environment's `TOPOLOGY_ZONE`",
            "Name of the availability zone that this instance runs in.");

    @Override
    public String title() {
        return "Zone";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(ZONE);
    }
}
