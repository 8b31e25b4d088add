package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.core.failure.BlobCorrupt;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.flight.internal.blob.StoreRests;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the log says of failures that also go to the client. Stateless. */
final class Warnings {
    /** What a client hears whose call meets the end of the daemon. The log says nothing. */
    static final String ENDS = "Cannot answer: the daemon ends. Ask again when it has restarted.";

    private static final Logger LOG = LoggerFactory.getLogger(Warnings.class);

    private Warnings() {}

    /** A blob is damaged. */
    static void of(BlobCorrupt failure) {
        LOG.warn("A blob is damaged. {}", failure.getMessage());
    }

    /** A directory or a store fails. While a store rests, each of its readers would say so. */
    static void of(StoreUnavailable failure) {
        if (failure instanceof StoreRests) {
            LOG.debug("A reader is refused. {}", failure.getMessage());
        } else {
            LOG.warn("A directory or a store cannot be used. {}", failure.getMessage());
        }
    }
}
