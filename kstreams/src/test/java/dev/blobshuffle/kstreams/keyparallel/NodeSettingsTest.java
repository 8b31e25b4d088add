package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.core.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeSettingsTest {
    @Test
    void ownSettingOverridesTheCodeAndTheGeneralOneTheDefault() {
        KeyParallelOptions code = KeyParallelOptions.builder("lookup")
                .maxConcurrency(8)
                .maxPending(100)
                .build();
        KeyParallelOptions applied = NodeSettings.applied(
                code,
                Map.of(
                        "application.id",
                        "any",
                        "blobshuffle.keyparallel.lookup.max.concurrency",
                        "16",
                        "blobshuffle.keyparallel.max.concurrency",
                        "32",
                        "blobshuffle.keyparallel.max.pending.records",
                        7,
                        "blobshuffle.keyparallel.max.pending.bytes",
                        "1 MiB",
                        "blobshuffle.keyparallel.other.ordering",
                        "unordered",
                        "blobshuffle.keyparallel.ordering",
                        "key-output",
                        "blobshuffle.keyparallel.lookup.timeout.ms",
                        "250"));
        assertThat(applied)
                .isEqualTo(KeyParallelOptions.builder("lookup")
                        .maxConcurrency(16)
                        .maxPending(100)
                        .maxPendingBytes(ByteSize.ofMebibytes(1))
                        .ordering(Ordering.KEY_OUTPUT)
                        .timeout(Duration.ofMillis(250))
                        .build());
    }

    @Test
    void unknownSettingAndValueAreRefused() {
        KeyParallelOptions code = KeyParallelOptions.named("lookup");
        assertThatThrownBy(() -> NodeSettings.applied(code, Map.of("blobshuffle.keyparallel.lookup.timeout", 1)))
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("timeout.ms");
        for (String value : new String[] {"0", "many", ""}) {
            assertThatThrownBy(
                            () -> NodeSettings.applied(code, Map.of("blobshuffle.keyparallel.max.concurrency", value)))
                    .isInstanceOf(InvalidSettings.class)
                    .hasMessageContaining("a number of calls, 1 or more");
        }
    }

    /** The shuffle's own settings are of the same family, and checked as strictly. */
    @Test
    void shuffleLeavesThemAlone() {
        Settings shuffle = Settings.parse(Map.of("blobshuffle.keyparallel.timeout.ms", "1"));
        assertThat(shuffle.isGiven(Settings.BATCH_MAX_BYTES)).isFalse();
    }

    @Test
    void guideListsEachSettingAndMetric() throws IOException {
        String guide = Files.readString(Path.of("../docs/guides/key-parallel.md"));
        for (NodeSettings setting : NodeSettings.values()) {
            assertThat(guide).contains("`" + setting.key() + "`");
        }
        for (String metric : NodeMetrics.NAMES) {
            assertThat(guide).contains("`" + metric + "`");
        }
    }
}
