package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with settings that cannot work does not start. */
class RefusedSettingsIT {
    @TempDir
    private Path directory;

    @Test
    void theExternalShuffleServiceIsRefusedAtStart() {
        assertRefused(
                Map.of("spark.shuffle.service.enabled", "true"),
                "spark.shuffle.service.enabled=true",
                "Set it to false");
    }

    @Test
    void aMissingStoreIsRefusedAtStart() {
        assertThatThrownBy(() ->
                        SparkApplication.plain(directory, Map.of("spark.plugins", BlobShufflePlugin.class.getName())))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("setting spark.blobshuffle.store is missing");
    }

    /** Otherwise the stages that run other releases would test this one. */
    @Test
    void theReleaseOfSparkIsTheOneThatTheBuildNames() {
        assertThat(SparkApplication.version()).isEqualTo(System.getProperty("spark.expected.version"));
    }

    private void assertRefused(Map<String, String> settings, String... parts) {
        assertThatThrownBy(() -> SparkApplication.withPlugin(directory, settings))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContainingAll(parts);
    }
}
