package dev.blobshuffle.core.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.combine.CombiningDecision;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ZoneCombiningTest {
    private static Settings settings(boolean isCombining) {
        return EngineSettings.parse(Map.of(
                "blobshuffle.combine.enabled",
                isCombining,
                "blobshuffle.cache.zone.enabled",
                true,
                "blobshuffle.batch.max.delay.ms",
                250,
                "blobshuffle.batch.target.latency.ms",
                1000,
                "blobshuffle.fallback.enabled",
                true));
    }

    @Test
    void combiningAlignsSeals() {
        Settings settings = settings(true);
        BatcherOptions given = BatcherOptions.builder(settings).build();

        BatcherOptions used = ZoneCombining.batching(settings, given);

        assertThat(used.sealing()).isEqualTo(Sealing.ALIGNED);
        assertThat(used).usingRecursiveComparison().ignoringFields("sealing").isEqualTo(given);
        assertThat(used.delay()).isEqualTo(Duration.ofMillis(250));
        assertThat(used.target()).contains(LatencyTarget.of(Duration.ofSeconds(1)));
        assertThat(used.fallback()).isPresent();
    }

    @Test
    void withoutCombiningTheDelayStartsAtTheFirstRecord() {
        Settings settings = settings(false);
        BatcherOptions given = BatcherOptions.builder(settings).build();

        assertThat(ZoneCombining.batching(settings, given)).isSameAs(given);
        assertThat(given.sealing()).isEqualTo(Sealing.AFTER_DELAY);
    }

    private static Settings auto(String key, Object value) {
        return EngineSettings.parse(Map.of(
                "blobshuffle.combine.enabled",
                "auto",
                "blobshuffle.cache.zone.enabled",
                true,
                "blobshuffle." + key,
                value));
    }

    @Test
    void anInstanceThatDecidesItselfAlignsSealsIfItMayCombine() {
        Settings settings = auto("batch.target.latency.ms", 500);
        BatcherOptions given = BatcherOptions.builder(settings).build();

        assertThat(CombiningChecks.excluded(settings)).isEmpty();
        assertThat(ZoneCombining.batching(settings, given).sealing()).isEqualTo(Sealing.ALIGNED);
    }

    @Test
    void settingsThatExcludeCombiningTurnItOffWithAReason() {
        Map<String, CombiningDecision> reasons = Map.of(
                "cache.zone.enabled=false", CombiningDecision.NO_ZONE_CACHE,
                "batch.target.latency.ms=499", CombiningDecision.SHORT_TARGET,
                "store=two-speed:fast=memory://a,durable=memory://b", CombiningDecision.TWO_SPEEDS,
                "encryption.key.id=k", CombiningDecision.ENCRYPTED);
        reasons.forEach((setting, reason) -> {
            int equals = setting.indexOf('=');
            Map<String, Object> given = new HashMap<>(
                    Map.of("blobshuffle.combine.enabled", "auto", "blobshuffle.cache.zone.enabled", true));
            given.put("blobshuffle." + setting.substring(0, equals), setting.substring(equals + 1));
            if (reason == CombiningDecision.ENCRYPTED) {
                given.put("blobshuffle.encryption.keys", "/nowhere");
            }
            Settings settings = EngineSettings.parse(given);
            assertThat(CombiningChecks.excluded(settings)).as(setting).contains(reason);
        });
        assertThat(CombiningChecks.excluded(settings(false))).contains(CombiningDecision.DISABLED);
        assertThat(CombiningChecks.excluded(settings(true))).isEmpty();
    }

    @Test
    void anInstanceShowsWhyItDoesNotCombine() {
        Settings settings = EngineSettings.parse(
                Map.of("blobshuffle.combine.enabled", "auto", "blobshuffle.store", "memory://zone-combining"));
        try (ShuffleEngine engine = ShuffleEngine.open(settings)) {
            assertThat(engine.combining()).contains(CombiningDecision.NO_ZONE_CACHE);
            assertThat(engine.metrics().value(Gauge.COMBINING)).isZero();
        }
    }

    @Test
    void anUnknownChoiceIsRefusedWithThosePossible() {
        assertThatThrownBy(() -> EngineSettings.parse(Map.of("blobshuffle.combine.enabled", "perhaps")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("'perhaps'")
                .hasMessageContaining("Give false, true, auto.");
    }
}
