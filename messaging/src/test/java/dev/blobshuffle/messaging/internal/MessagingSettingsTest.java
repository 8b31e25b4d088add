package dev.blobshuffle.messaging.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.engine.EngineSettings;
import dev.blobshuffle.core.internal.settings.Setting;
import dev.blobshuffle.core.internal.settings.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessagingSettingsTest {
    @Test
    void inlinesNoMoreThanALogBatchTakes() {
        assertThat(MessagingSettings.batching(settings(Map.of())).inlineBytes()).isEqualTo(25 << 10);
        assertThat(MessagingSettings.batching(settings(Map.of("blobshuffle.batch.max.delay.ms", "0")))
                        .inlineBytes())
                .isEqualTo(25 << 10);
        assertThat(MessagingSettings.batching(settings(Map.of("blobshuffle.inline.max.bytes", "1000")))
                        .inlineBytes())
                .isEqualTo(1000);
    }

    @Test
    void refusesWhatTheLogCannotTake() {
        assertThatThrownBy(() -> settings(Map.of("blobshuffle.inline.max.bytes", "64 KiB")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("at most 25 KiB");
        assertThatThrownBy(() -> settings(Map.of("blobshuffle.fallback.enabled", "true")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.fallback.enabled");
    }

    /** Applications share one configuration between messaging and other front doors. */
    @Test
    void otherFrontDoorsNameItsOwnSettingsAsThoseOfMessaging() {
        List<String> own =
                new MessagingSettings().settings().stream().map(Setting::name).toList();

        assertThat(Settings.ofMessaging()).containsExactlyInAnyOrderElementsOf(own);
        for (String name : own) {
            assertThatThrownBy(() -> Settings.parse(Map.of(name, "a"), EngineSettings.GROUPS))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("Cannot use setting " + name + " here: only messaging has it.");
        }
    }

    @Test
    void settingsOfOtherFrontDoorsAreNamedAsTheirs() {
        Map.of(
                        "blobshuffle.topics.include", "only Kafka Streams and the Kafka clients have it",
                        "blobshuffle.keyparallel.max.concurrency", "only Kafka Streams and the Kafka clients have it",
                        "blobshuffle.native.in.zone", "only the module for Flink has it",
                        "blobshuffle.lease.ms", "only the module for Spark has it",
                        "blobshuffle.topics.includes", "there is none of this name")
                .forEach((name, reason) -> assertThatThrownBy(() -> settings(Map.of(name, "1")))
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageStartingWith("Cannot use setting " + name)
                        .hasMessageContaining(reason));
    }

    private static Settings settings(Map<String, ?> more) {
        Map<String, Object> all = new HashMap<>(Map.of("blobshuffle.store", "s3://bucket/prefix?region=eu-central-1"));
        all.putAll(more);
        return MessagingSettings.parse(all);
    }
}
