package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.StoreFinding.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CommitAdviceTest {
    private static final Map<String, String> SOUND = Map.of(
            "processing.guarantee", "exactly_once_v2",
            "commit.interval.ms", "2000",
            "producer.transaction.timeout.ms", "60000",
            "producer.linger.ms", "5");

    @Test
    void soundSettingsAreSound() {
        assertThat(advice(SOUND, 300, Optional.empty()))
                .singleElement()
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.OK));
    }

    @Test
    void theDefaultsOfExactlyOnceCommitTooOften() {
        List<Finding> findings = advice(Map.of("processing.guarantee", "exactly_once_v2"), 800, Optional.empty());
        assertThat(findings)
                .extracting(Finding::subject)
                .containsExactly("commit interval", "commit interval", "linger");
        assertThat(findings.get(0).remedy().orElseThrow()).startsWith("Raise commit.interval.ms to 500");
        assertThat(findings.get(1).remedy().orElseThrow()).startsWith("Raise commit.interval.ms to 1600");
    }

    @Test
    void aTransactionMustOutliveASlowUpload() {
        Finding warning = only(with("producer.transaction.timeout.ms", "10000"), 1900, Optional.empty());
        assertThat(warning.level()).isEqualTo(Level.WARNING);
        // 4 x 1,900 ms plus the commit interval are nine tenths of the timeout, rounded up to
        // seconds.
        assertThat(warning.remedy()).contains("Set producer.transaction.timeout.ms to 11000 or more.");
        Finding error = only(with("producer.transaction.timeout.ms", "4000"), 1900, Optional.of(Duration.ofSeconds(8)));
        assertThat(error.level()).isEqualTo(Level.ERROR);
        assertThat(error.remedy().orElseThrow())
                .contains("the brokers' transaction.max.timeout.ms, which is 8000, first");
    }

    @Test
    void withoutTransactionsCommitsMayTakeTheirTime() {
        assertThat(advice(Map.of("producer.linger.ms", "0"), 20_000, Optional.empty()))
                .extracting(Finding::level)
                .containsExactly(Level.OK);
    }

    @Test
    void wrappedClientsDoNotLinger() {
        assertThat(advice(
                        Map.of("default.client.supplier", "dev.blobshuffle.kstreams.BlobShuffleClientSupplier"),
                        300,
                        Optional.empty()))
                .extracting(Finding::level)
                .containsExactly(Level.OK);
    }

    @Test
    void numbersThatAreNoneAreRefused() {
        assertThatThrownBy(() -> CommitSettings.of(Map.of("commit.interval.ms", "soon")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage("Cannot use setting commit.interval.ms: it is not a number of milliseconds. Give one.");
    }

    @Test
    void percentilesAreOfTheNearestRank() {
        ProbeTimes latencies =
                new ProbeTimes(1 << 20, List.of(Duration.ofMillis(30), Duration.ofMillis(10), Duration.ofMillis(20)));
        assertThat(latencies.percentile(50)).hasMillis(20);
        assertThat(latencies.percentile(95)).hasMillis(30);
        assertThat(latencies.text()).isEqualTo("20 ms at the median, 30 ms at p95, 30 ms at most (3 of 1.0 MiB)");
    }

    private static Finding only(Map<String, String> configuration, long millis, Optional<Duration> brokersMost) {
        List<Finding> findings = advice(configuration, millis, brokersMost);
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> configuration = new java.util.HashMap<>(SOUND);
        configuration.put(name, value);
        return configuration;
    }

    private static List<Finding> advice(
            Map<String, String> configuration, long millis, Optional<Duration> brokersMost) {
        ProbeTimes puts = new ProbeTimes(16 << 20, List.of(Duration.ofMillis(millis)));
        return CommitAdvice.of(CommitSettings.of(configuration), Optional.of(puts), brokersMost);
    }
}
