package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import org.apache.kafka.common.config.ConfigException;

/** The exit status of a failed command. It shows whether a retry may help. Stateless. */
public final class ExitStatus {
    /** The command failed, or its answer is no. */
    public static final int FAILED = 1;

    /** The command line or the settings are wrong, whatever the servers' state. */
    public static final int WRONG_USAGE = 2;

    private ExitStatus() {}

    /**
     * The status for a failure: 2 for wrong options and settings, else 1. A missing store is not
     * wrong usage, because another command creates it.
     */
    public static int of(Throwable failure) {
        boolean isOurs = failure instanceof InvalidSettingsException && !(failure instanceof StoreAbsentException);
        // Kafka's clients wrap it in another exception.
        boolean isKafkas = failure instanceof ConfigException || failure.getCause() instanceof ConfigException;
        return isOurs || isKafkas || failure instanceof IllegalArgumentException ? WRONG_USAGE : FAILED;
    }
}
