package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.flight.internal.blob.StoreRests;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What gRPC and HTTP have in common about failures: what the log says of them, and what a client
 * hears if it is not the failure's own message. Stateless.
 */
final class FailureMessages {
    /** To a client whose call meets the end of the daemon. The log says nothing. */
    static final String ENDS = "Cannot answer: the daemon ends. Ask again when it has restarted.";

    /** To a client whose call failed. Only the log has the reason. */
    static final String FAILED = "Cannot answer: the daemon failed. Its log has the reason.";

    private static final Logger LOG = LoggerFactory.getLogger(FailureMessages.class);

    private FailureMessages() {}

    /** A blob is damaged. */
    static void warn(BlobCorrupt failure) {
        LOG.warn("A blob is damaged. {}", failure.getMessage());
    }

    /** A directory or a store fails. While a store rests, each of its readers would say so. */
    static void warn(StoreUnavailable failure) {
        if (failure instanceof StoreRests) {
            LOG.debug("A reader is refused. {}", failure.getMessage());
        } else {
            LOG.warn("A directory or a store cannot be used. {}", failure.getMessage());
        }
    }
}
