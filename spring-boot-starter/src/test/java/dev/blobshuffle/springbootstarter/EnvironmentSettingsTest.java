package dev.blobshuffle.springbootstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class EnvironmentSettingsTest {
    private final StandardEnvironment environment = new StandardEnvironment() {
        @Override
        protected void customizePropertySources(MutablePropertySources sources) {}
    };

    private void file(Map<String, Object> properties) {
        environment
                .getPropertySources()
                .addLast(new MapPropertySource("application.yml", new LinkedHashMap<>(properties)));
    }

    private void variables(Map<String, Object> variables) {
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", new LinkedHashMap<>(variables)));
    }

    @Test
    void relaxedNamesNameTheSameSetting() {
        for (String name : new String[] {
            "blobshuffle.batch.max.bytes",
            "blobshuffle.batch.max-bytes",
            "blobshuffle.batch.maxBytes",
            "blobshuffle.batch-max-bytes",
            "blobshuffle.batch.max_bytes"
        }) {
            environment.getPropertySources().remove("application.yml");
            file(Map.of(name, "1 MiB"));
            assertThat(EnvironmentSettings.read(environment))
                    .as(name)
                    .containsExactly(Map.entry("blobshuffle.batch.max.bytes", "1 MiB"));
        }
    }

    @Test
    void environmentVariablesWinOverFilesAndPlaceholdersAreResolved() {
        file(Map.of("blobshuffle.store", "file:///${area}", "area", "blobs", "blobshuffle.batch.max.delay.ms", 250));
        variables(Map.of("BLOBSHUFFLE_BATCH_MAX_DELAY_MS", "100"));

        assertThat(EnvironmentSettings.read(environment))
                .containsOnly(
                        Map.entry("blobshuffle.store", "file:///blobs"),
                        Map.entry("blobshuffle.batch.max.delay.ms", "100"));
    }

    @Test
    void listsAreJoined() {
        file(Map.of("blobshuffle.topics.exclude[0]", "a.*", "blobshuffle.topics.exclude[1]", "b.*"));

        assertThat(EnvironmentSettings.read(environment))
                .containsOnly(Map.entry("blobshuffle.topics.exclude", "a.*,b.*"));
    }

    @Test
    void settingsOfNodesKeepTheNodesName() {
        file(Map.of(
                "blobshuffle.keyparallel.FraudCheck.timeout.ms", 900, "blobshuffle.keyparallel.max-concurrency", 8));

        assertThat(EnvironmentSettings.read(environment))
                .containsOnly(
                        Map.entry("blobshuffle.keyparallel.FraudCheck.timeout.ms", "900"),
                        Map.entry("blobshuffle.keyparallel.max.concurrency", "8"));
    }

    @Test
    void anUnknownNameIsRefusedWithTheNearest() {
        file(Map.of("blobshuffle.batch.maxx-bytes", 5));

        assertThatThrownBy(() -> EnvironmentSettings.read(environment))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("blobshuffle.batch.maxx-bytes")
                .hasMessageContaining("blobshuffle.batch.max.bytes");
    }

    /** An application may use Kafka Streams and messaging. */
    @Test
    void settingsOfMessagingAreLeftToMessaging() {
        file(Map.of(
                "blobshuffle.log",
                "postgresql://localhost/app",
                "blobshuffle.instance-name",
                "a",
                "blobshuffle.store",
                "file:///blobs"));

        assertThat(EnvironmentSettings.read(environment))
                .containsExactly(Map.entry("blobshuffle.store", "file:///blobs"));
    }

    /**
     * Kubernetes sets such variables in every container beside a Service named blobshuffle-cache.
     */
    @Test
    void variablesOfKubernetesAreIgnored() {
        variables(
                Map.of("BLOBSHUFFLE_CACHE_SERVICE_HOST", "10.0.0.7", "BLOBSHUFFLE_CACHE_PORT", "tcp://10.0.0.7:9400"));

        assertThat(EnvironmentSettings.read(environment)).isEmpty();
    }
}
