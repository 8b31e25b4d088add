package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.flightdaemon.internal.blob.StorePausedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The messages and log entries for failures that gRPC and HTTP share. Stateless. */
public final class FailureMessages {
    /** The message to a client whose call ends because the daemon shuts down. Not logged. */
    public static final String ENDS = "Cannot answer: the daemon ends. Ask again when it has restarted.";

    /** The message to a client whose call failed. Only the log has the reason. */
    public static final String FAILED = "Cannot answer: the daemon failed. Its log has the reason.";

    private static final Logger LOG = LoggerFactory.getLogger(FailureMessages.class);

    private FailureMessages() {}

    /** Logs a damaged blob. */
    public static void warn(BlobCorruptException failure) {
        LOG.warn("A blob is damaged. {}", failure.getMessage());
    }

    /**
     * Logs the failure of a directory or a store. Omits requests that were not sent because the
     * store has just failed.
     */
    public static void warn(StoreUnavailableException failure) {
        if (failure instanceof StorePausedException) {
            LOG.debug("A reader is refused. {}", failure.getMessage());
        } else {
            LOG.warn("A directory or a store cannot be used. {}", failure.getMessage());
        }
    }
}
