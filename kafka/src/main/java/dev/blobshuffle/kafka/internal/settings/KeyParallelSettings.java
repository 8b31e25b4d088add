package dev.blobshuffle.kafka.internal.settings;

import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.SettingGroup;
import java.util.List;

/**
 * The names of the settings of key-parallel nodes ({@link NodeSetting}); the nodes read the values.
 */
final class KeyParallelSettings implements SettingGroup {
    @Override
    public String title() {
        return "Slow functions";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of();
    }

    /**
     * A name may begin with any node's name, because the topology is unknown where settings are
     * read.
     */
    @Override
    public List<String> names(String given) {
        return given.startsWith(NodeSetting.PREFIX)
                ? NodeSetting.candidates(given.substring(NodeSetting.PREFIX.length()))
                : NodeSetting.namesForAll();
    }
}
