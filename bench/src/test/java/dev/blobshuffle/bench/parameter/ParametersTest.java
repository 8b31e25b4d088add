package dev.blobshuffle.bench.parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Names and values of parameters. */
class ParametersTest {
    private final Parameters defaults = Parameters.defaults();

    @Test
    void nameWithADotIsASettingAndOursGoToBlobsOnly() {
        Parameters parameters = defaults.with("linger.ms", "5")
                .with("blobshuffle.batch.max.delay.ms", "10")
                .with("batch-size", "1 MiB");

        assertThat(parameters.settings()).isEqualTo(Map.of("linger.ms", "5"));
        assertThat(parameters.blobSettings())
                .isEqualTo(Map.of("blobshuffle.batch.max.delay.ms", "10", "blobshuffle.batch.max.bytes", "1 MiB"));
    }

    @Test
    void unknownNamesAndImpossibleValuesAreRefused() {
        assertThatThrownBy(() -> defaults.with("instanzes", "1"))
                .hasMessageContaining("no such parameter")
                .hasMessageContaining("bench run --list");
        assertThatThrownBy(() -> defaults.with("instances", "0")).hasMessageContaining("0 instances");
        assertThatThrownBy(() -> defaults.with("rate", "fast")).hasMessageContaining("whole number");
    }

    @Test
    void processesGetTheSameParameters() {
        Parameters parameters = defaults.with("instances", "3").with("zipf", "1.5");
        Properties properties = new Properties();
        parameters.addTo(properties);

        assertThat(Parameters.of(properties)).isEqualTo(parameters);
    }

    @Test
    void allRecordsAreThoseOfTheRateOrOfTheCounts() {
        assertThat(defaults.with("records", "10").with("warm-up-records", "5").allRecords())
                .isEqualTo(15);
        assertThat(defaults.with("rate", "100")
                        .with("seconds", "3")
                        .with("warm-up-seconds", "2")
                        .allRecords())
                .isEqualTo(500);
    }
}
