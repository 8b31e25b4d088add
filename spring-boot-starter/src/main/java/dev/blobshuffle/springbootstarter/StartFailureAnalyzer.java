package dev.blobshuffle.springbootstarter;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a wrong setting, or a store or log that does not answer, as Spring Boot's report of a
 * failed start, instead of a stack trace. Stateless.
 */
class StartFailureAnalyzer extends AbstractFailureAnalyzer<BlobShuffleException> {
    StartFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, BlobShuffleException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()),
                cause instanceof InvalidSettingsException
                        ? "Change the setting, in application.yml or where else the application takes it from."
                        : "Repair what the description names, and start the application again.",
                cause);
    }
}
