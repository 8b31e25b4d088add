package dev.blobshuffle.flight.internal.blob;

import dev.blobshuffle.core.failure.StoreUnavailable;

/**
 * A store of copies is not asked now, because it has just failed. Recoverable: ask again after some
 * seconds. The log already has the failure.
 */
public final class StoreRests extends StoreUnavailable {
    private static final long serialVersionUID = 1L;

    StoreRests(StoreUnavailable failure) {
        super("The store of copies has just failed. " + failure.getMessage(), failure);
    }
}
