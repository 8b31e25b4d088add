package dev.blobshuffle.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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

    @Test
    void theManagerWithoutThePlugInIsRefusedAtStart() {
        Map<String, String> settings = Map.of("spark.shuffle.manager", Spark35Shuffle.class.getName());
        assertThatThrownBy(() -> SparkApplication.plain(directory, settings))
                .rootCause()
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Set spark.plugins=" + BlobShufflePlugin.class.getName());
    }

    /** Spark starts the plug-in before it looks at the master. */
    @Test
    void anApplicationThatFailsToStartLeavesNoLease() {
        assertThatThrownBy(() -> SparkApplication.withPlugin(directory, Map.of("spark.master", "local[many]")))
                .hasMessageContaining("local[many]");

        assertThat(SparkApplication.leases(directory)).isEmpty();
    }

    /** Spark then ends no plug-in. The user tries again in the same process, as in a notebook. */
    @Test
    void theNextApplicationEndsOneThatAnotherPlugInStopped() {
        String plugins = BlobShufflePlugin.class.getName() + "," + FailingPlugin.class.getName();
        assertThatThrownBy(() -> SparkApplication.withPlugin(directory, Map.of("spark.plugins", plugins)))
                .hasMessageContaining(FailingPlugin.REASON);

        try (SparkApplication spark = SparkApplication.withPlugin(directory, Map.of())) {
            assertThat(spark.session().sparkContext().isStopped()).isFalse();
            assertThat(SparkApplication.leases(directory)).hasSize(1);
        }
        assertThat(SparkApplication.leases(directory)).isEmpty();
    }

    /** Spark runs nothing of ours then, but what it looks for when it makes a session. */
    @Test
    void aStoreWithoutThePlugInIsWarnedOf() {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (SparkApplication spark =
                SparkApplication.plain(directory, Map.of("spark.blobshuffle.store", "file:///nowhere"))) {
            assertThat(spark.session().sparkContext().isStopped()).isFalse();
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8))
                .contains("so spark.blobshuffle.store has no effect", BlobShufflePlugin.class.getName());
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
