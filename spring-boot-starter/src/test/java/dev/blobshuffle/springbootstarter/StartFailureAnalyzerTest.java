package dev.blobshuffle.springbootstarter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class StartFailureAnalyzerTest {
    @Test
    void aStoreThatDoesNotAnswerIsReportedWithoutAStackTrace() {
        FailureAnalysis analysis = analyze(new StoreUnavailableException("Cannot read mark: no answer."));

        assertThat(analysis.getDescription()).isEqualTo("Cannot read mark: no answer.");
        assertThat(analysis.getAction()).contains("start the application again");
    }

    @Test
    void aWrongSettingIsReportedAsOne() {
        assertThat(analyze(new InvalidSettingsException("Cannot use it.")).getAction())
                .startsWith("Change the setting");
    }

    /** As Spring Boot finds it, below the exceptions of beans. */
    private static FailureAnalysis analyze(RuntimeException failure) {
        FailureAnalyzer analyzer = SpringFactoriesLoader.forDefaultResourceLocation(
                        StartFailureAnalyzer.class.getClassLoader())
                .load(FailureAnalyzer.class, (type, name, problem) -> {})
                .stream()
                .filter(StartFailureAnalyzer.class::isInstance)
                .findFirst()
                .orElseThrow();
        return analyzer.analyze(new IllegalStateException("Cannot create the bean.", failure));
    }
}
