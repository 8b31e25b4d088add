package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.log.share.LogPeers;
import dev.blobshuffle.core.internal.membership.Endpoint;
import java.util.Optional;

/**
 * The network between the members of a zone: a client, and a server if this instance answers
 * others. A separate artifact provides it. Thread-safe.
 */
public interface PeerNetwork extends AutoCloseable {
    /** The client that asks other members, closed with the network. */
    PeerClient client();

    /**
     * Starts to answer other members from a store with its caches, if the settings define an
     * address. The network does not close the store.
     *
     * @return the address of this instance for others; empty if it does not answer
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: it cannot listen at the
     *     configured address
     */
    Optional<Endpoint> serve(CachedBlobStore store);

    /** The way to the members that read a commit log together. */
    LogPeers logPeers();

    /** Ends the server and the client. Idempotent. */
    @Override
    void close();
}
