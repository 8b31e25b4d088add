package dev.blobshuffle.kstreams.keyparallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.settings.ByteSize;
import dev.blobshuffle.kafka.internal.settings.NodeSetting;
import dev.blobshuffle.kstreams.BlobShuffleClientSupplier;
import dev.blobshuffle.kstreams.keyparallel.calls.Ordering;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
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
                        "blobshuffle.keyparallel.null.keys",
                        "serial",
                        "blobshuffle.keyparallel.lookup.timeout.ms",
                        "250"));
        assertThat(applied)
                .usingRecursiveComparison()
                .isEqualTo(KeyParallelOptions.builder("lookup")
                        .maxConcurrency(16)
                        .maxPending(100)
                        .maxPendingBytes(ByteSize.ofMebibytes(1))
                        .ordering(Ordering.KEY_OUTPUT)
                        .nullKeys(NullKeys.SERIAL)
                        .timeout(Duration.ofMillis(250))
                        .build());
    }

    @Test
    void unknownSettingAndValueAreRefused() {
        KeyParallelOptions code = KeyParallelOptions.named("lookup");
        assertThatThrownBy(() -> NodeSettings.applied(code, Map.of("blobshuffle.keyparallel.lookup.timeout", 1)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("timeout.ms");
        for (String value : new String[] {"0", "many", ""}) {
            assertThatThrownBy(
                            () -> NodeSettings.applied(code, Map.of("blobshuffle.keyparallel.max.concurrency", value)))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("a number of calls, 1 or more");
        }
        assertThatThrownBy(() -> NodeSettings.applied(code, Map.of("blobshuffle.keyparallel.lookup.null.keys", "key")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("parallel or serial");
    }

    /**
     * With our clients, an application gets the error for a wrong name even if it has no node, or
     * none of this name.
     */
    @Test
    void clientSupplierRefusesUnknownNamesWithoutANode() {
        Properties settings = new Properties();
        settings.put("application.id", "any");
        settings.put("bootstrap.servers", "localhost:1");
        settings.put("blobshuffle.store", "memory://node-settings");
        settings.put("blobshuffle.keyparallel.lookup.timeout.ms", "1");
        assertThatCode(() -> new BlobShuffleClientSupplier(settings)).doesNotThrowAnyException();

        settings.put("blobshuffle.keyparallel.max.concurency", "1");
        assertThatThrownBy(() -> new BlobShuffleClientSupplier(settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("The nearest is blobshuffle.keyparallel.max.concurrency;");
    }

    @Test
    void referenceHasTheDefaultsOfTheCode() {
        KeyParallelOptions defaults = KeyParallelOptions.named("any");
        assertThat(NodeSetting.ORDERING.defaultText())
                .isEqualTo(defaults.ordering().name().toLowerCase(Locale.ROOT));
        assertThat(NodeSetting.MAX_PENDING_RECORDS.defaultText()).isEqualTo(String.valueOf(defaults.maxPending()));
        assertThat(NodeSetting.MAX_PENDING_BYTES.defaultText())
                .isEqualTo(defaults.maxPendingBytes().toString());
    }

    @Test
    void eachSettingButTheWrappersIsOfNodes() {
        assertThat(NodeSettings.values())
                .extracting(NodeSettings::setting)
                .containsExactlyElementsOf(EnumSet.complementOf(EnumSet.of(NodeSetting.WRAP)));
    }

    @Test
    void guideListsEachSettingAndMetric() throws IOException {
        String guide = Files.readString(Path.of("../docs/guides/key-parallel.md"));
        for (NodeSettings setting : NodeSettings.values()) {
            assertThat(guide).contains("`" + setting.setting().key() + "`");
        }
        for (String metric : NodeMetrics.NAMES) {
            assertThat(guide).contains("`" + metric + "`");
        }
    }
}
