package dev.blobshuffle.kafka.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaVersionTest {
    @ParameterizedTest
    @ValueSource(strings = {"3.8.1", "3.0.0", "2.8.2", "3.8.1-ccs"})
    void olderClientsAreRefusedWithBothVersionsAndTheRemedy(String version) {
        assertThatThrownBy(() -> KafkaVersion.requireSupported(version))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("kafka-clients " + version)
                .hasMessageContaining("needs 3.9 or newer")
                .hasMessageContaining("kafka.version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.9.0", "3.9.2-ccs", "4.0.2", "4.4.0", "4.10.0", "7.9.0-SNAPSHOT", "unknown"})
    void otherClientsPass(String version) {
        assertThatCode(() -> KafkaVersion.requireSupported(version)).doesNotThrowAnyException();
    }

    @Test
    void presentVersionIsTheOneOfTheClassPath() {
        assertThat(KafkaVersion.present()).matches("\\d+\\.\\d+.*");
        assertThatCode(KafkaVersion::requireSupported).doesNotThrowAnyException();
    }
}
