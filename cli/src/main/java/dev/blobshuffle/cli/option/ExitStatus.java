package dev.blobshuffle.cli.option;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.failure.StoreAbsent;
import org.apache.kafka.common.config.ConfigException;

/** The exit status of a command that failed: whether another attempt may help. Stateless. */
public final class ExitStatus {
    /** The command failed, or its answer is no. */
    public static final int FAILED = 1;

    /** The command line or the settings allow no run, whatever the servers do. */
    public static final int WRONG_USAGE = 2;

    private ExitStatus() {}

    /**
     * The status for a failure: 2 for wrong options and settings, else 1. An absent store is no
     * wrong usage, because another command makes it.
     */
    public static int of(Throwable failure) {
        boolean isOurs = failure instanceof InvalidSettings && !(failure instanceof StoreAbsent);
        // Kafka's clients wrap it.
        boolean isKafkas = failure instanceof ConfigException || failure.getCause() instanceof ConfigException;
        return isOurs || isKafkas || failure instanceof IllegalArgumentException ? WRONG_USAGE : FAILED;
    }
}
