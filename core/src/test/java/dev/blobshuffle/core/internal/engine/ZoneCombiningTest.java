package dev.blobshuffle.core.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.settings.Settings;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import dev.blobshuffle.core.internal.write.options.LatencyTarget;
import java.time.Duration;
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
}
