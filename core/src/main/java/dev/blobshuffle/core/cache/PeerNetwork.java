package dev.blobshuffle.core.cache;

import dev.blobshuffle.core.membership.Endpoint;
import java.util.Optional;

/** How the members of a zone talk: a client, and a server where this instance answers others. Comes with an artifact of its own. Thread-safe. */
public interface PeerNetwork extends AutoCloseable {
    /** Asks other members. Closed with the network. */
    PeerClient client();

    /**
     * Starts to answer others from a store with its caches, if the settings say where; the network does not close it.
     *
     * @return where others reach this instance; empty if it does not answer
     * @throws dev.blobshuffle.core.failure.InvalidSettings fatal: it cannot listen there
     */
    Optional<Endpoint> serve(CachedBlobStore store);

    /** Ends the server and the client. Idempotent. */
    @Override
    void close();
}
