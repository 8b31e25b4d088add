package dev.blobshuffle.core.internal.store;

import dev.blobshuffle.core.store.BlobStore;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The two stores of a store of two speeds. Requests to them are retried, hedged, limited and
 * counted separately.
 *
 * @param fast holds copies that readers find early and that may be lost
 * @param durable holds every committed blob, and the registers
 * @param announcing when a blob that both receive is announced
 */
public record StoreHalves(BlobStore fast, BlobStore durable, Announcing announcing) {
    /** When readers learn of a blob. */
    public enum Announcing {
        /** When one of the stores has it. */
        EARLY,
        /** When it is durable, for readers that do not know the fast store yet. */
        DURABLE
    }

    /** Two stores whose blobs are announced early. */
    public StoreHalves(BlobStore fast, BlobStore durable) {
        this(fast, durable, Announcing.EARLY);
    }

    /** The same with a decorator around each half. */
    public StoreHalves map(UnaryOperator<BlobStore> decorator) {
        return new StoreHalves(decorator.apply(fast), decorator.apply(durable), announcing);
    }

    /** The halves of a store; empty if it is an ordinary one. */
    public static Optional<StoreHalves> of(BlobStore store) {
        return store instanceof ForwardingBlobStore decorator ? decorator.halves() : Optional.empty();
    }
}
