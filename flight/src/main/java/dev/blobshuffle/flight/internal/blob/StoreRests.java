package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.StoreUnavailable;

/**
 * Thrown instead of sending a request to a store of copies that has just failed. Recoverable: retry
 * after some seconds. The failure is already in the log.
 */
public final class StoreRests extends StoreUnavailable {
    private static final long serialVersionUID = 1L;

    StoreRests(StoreUnavailable failure) {
        super("The store of copies has just failed. " + failure.getMessage(), failure);
    }
}
