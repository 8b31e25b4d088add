package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;

/**
 * The two stores of a {@link TwoSpeedBlobStore}. Requests to them are retried, hedged, limited and
 * counted separately.
 *
 * @param fast holds copies that readers find early and that may be lost
 * @param durable holds every committed blob, and the registers
 */
public record StoreHalves(BlobStore fast, BlobStore durable) {
    /** The halves of a store; empty if it is an ordinary one. */
    public static Optional<StoreHalves> of(BlobStore store) {
        return store instanceof ForwardingBlobStore decorator ? decorator.halves() : Optional.empty();
    }
}
