package dev.blobshuffle.flink.internal.settings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.settings.ZoneSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlinkSettingsTest {
    @Test
    void otherFrontDoorsNameItsOwnSettingsAsItsOwn() {
        for (Setting<?> own : new FlinkSettings().settings()) {
            assertThatThrownBy(() -> Settings.parse(Map.of(own.name(), "a"), List.of(new ZoneSettings())))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageStartingWith("Cannot use setting " + own.name() + " here: only the module for Flink");
        }
    }
}
