package dev.blobshuffle.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({"90s, PT90S", "15m, PT15M", "24h, PT24H", "7d, PT168H", "500ms, PT0.5S", "1.5 s, PT1.5S", "0s, PT0S"})
    void timesHaveUnits(String text, Duration time) {
        assertThat(new Quantity.Time().convert(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @CsvSource({"64MiB, 67108864", "4 GiB, 4294967296", "512B, 512", "10MB, 10000000", "1000, 1000"})
    void sizesHaveUnitsOrAreBytes(String text, double bytes) {
        assertThat(new Quantity.Bytes().convert(text)).isEqualTo(bytes);
    }

    @Test
    void ratesArePerSecond() {
        assertThat(new Quantity.Rate().convert("10MB/s")).isEqualTo(1e7);
        assertThatThrownBy(() -> new Quantity.Rate().convert("10/s"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("a rate such as 1GiB/s");
        assertThatThrownBy(() -> new Quantity.Rate().convert("10"))
                .hasMessage("Cannot read '10': it has no unit. Give a rate such as 1GiB/s, 100MiB/s or 5MB/s.");
    }

    @Test
    void aBareNumberIsNoTimeAndTheMessageSaysWhy() {
        assertThatThrownBy(() -> new Quantity.Time().convert("90"))
                .hasMessage("Cannot read '90': it has no unit. Give a time such as 500ms, 90s, 15m, 24h or 7d.");
    }

    @Test
    void aTimeIsNeverShortened() {
        assertThat(new Quantity.Time().convert("100000d")).isEqualTo(Duration.ofDays(100_000));
        assertThatThrownBy(() -> new Quantity.Time().convert("100001d"))
                .hasMessage("Cannot read '100001d': give at most 100000d.");
    }

    @Test
    void wrongValuesNameTheForm() {
        assertThatThrownBy(() -> new Quantity.Time().convert("soon"))
                .hasMessage("Cannot read 'soon'. Give a time such as 500ms, 90s, 15m, 24h or 7d.");
        assertThatThrownBy(() -> new Quantity.Bytes().convert("1Mb")).hasMessageContaining("a small b may mean bits");
    }

    @Test
    void retentionIsMillisecondsOrWhatIsNeeded() {
        Quantity.Retention retention = new Quantity.Retention();
        assertThat(retention.convert("needed")).isEqualTo("needed");
        assertThat(retention.convert("15m")).isEqualTo("900000");
        assertThat(retention.convert("900000")).isEqualTo("900000");
        assertThatThrownBy(() -> retention.convert("ever")).hasMessageContaining("Cannot read 'ever'");
    }
}
