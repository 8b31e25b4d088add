package dev.blobshuffle.flightdaemon.internal.blob;

import dev.blobshuffle.core.failure.StoreUnavailableException;

/**
 * Thrown instead of sending a request to a store of copies that has just failed. Recoverable: retry
 * after some seconds. The failure is already in the log.
 */
public final class StorePausedException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    StorePausedException(StoreUnavailableException failure) {
        super("The store of copies has just failed. " + failure.getMessage(), failure);
    }
}
