package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a wrong setting as Spring Boot's report of a failed start, instead of a stack trace.
 * Stateless.
 */
class InvalidSettingsAnalyzer extends AbstractFailureAnalyzer<InvalidSettingsException> {
    InvalidSettingsAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingsException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                "Change the setting, in application.yml or where else the application takes it from.",
                cause);
    }
}
