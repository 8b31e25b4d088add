package dev.blobshuffle.kafka.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.settings.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSettingTest {
    @ParameterizedTest
    @EnumSource
    void eachIsKnownForAllNodes(NodeSetting setting) {
        assertThatCode(() -> KafkaSettings.parse(Map.of(setting.nameForAll(), "any")))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lookup", "KSTREAM-MAPVALUES-0000000003", "with.dots.in.it", "max"})
    void anyNameMayBeANodes(String node) {
        for (NodeSetting setting : NodeSetting.values()) {
            if (setting != NodeSetting.WRAP) {
                assertThatCode(() -> KafkaSettings.parse(Map.of(setting.nameFor(node), "any")))
                        .doesNotThrowAnyException();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "keyparallel.timeout, keyparallel.timeout.ms",
        "keyparallel.max.concurency, keyparallel.max.concurrency",
        "keyparallel.lookup.timeout, keyparallel.lookup.timeout.ms",
        "keyparallel.look.up.max.pending.record, keyparallel.look.up.max.pending.records",
        "keyparallel.warp, keyparallel.wrap",
        "keyparallel..ordering, keyparallel.ordering",
        "keyparalel.ordering, keyparallel.ordering",
        "key.parallel.ordering, keyparallel.ordering"
    })
    void unknownNameIsRefusedWithTheNearest(String name, String nearest) {
        assertThatThrownBy(() -> KafkaSettings.parse(Map.of("blobshuffle." + name, "any")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Cannot use setting blobshuffle." + name + ":")
                .hasMessageContaining("The nearest is blobshuffle." + nearest + ";");
    }

    @Test
    void wrapperHasNoNodes() {
        assertThatThrownBy(() -> KafkaSettings.parse(Map.of(NodeSetting.WRAP.nameFor("lookup"), "any")))
                .isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void theyAreNotSettingsOfTheShuffle() {
        Settings shuffle = KafkaSettings.parse(Map.of("blobshuffle.keyparallel.timeout.ms", "1"));
        assertThat(KafkaSettings.GROUPS.stream().flatMap(group -> group.settings().stream()))
                .noneMatch(shuffle::isGiven);
    }

    /** Each front door accepts its own settings and the engine's. */
    @Test
    void anEngineWithoutKafkaDoesNotKnowThem() {
        assertThatThrownBy(() -> EngineSettings.parse(Map.of("blobshuffle.keyparallel.timeout.ms", "1")))
                .isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> EngineSettings.parse(Map.of("blobshuffle.topics.include", "a")))
                .isInstanceOf(InvalidSettingsException.class);
    }
}
