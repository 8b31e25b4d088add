package dev.blobshuffle.core.internal.cache;

import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

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
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: it cannot listen at the
     *     configured address
     */
    Optional<Endpoint> serve(CachedBlobStore store);

    /**
     * Answers requests for pages from now on, if this instance answers others at all. Replaces the
     * previous pages.
     */
    void answerFrom(PeerPages pages);

    /**
     * Asks a member for a page. The stage ends within a bounded time after the member has gone
     * silent. It fails with {@link PeerRefusedException} if the member sends no page, and with
     * {@link dev.blobshuffle.core.failure.StoreUnavailableException} if the member does not answer
     * properly.
     *
     * @param request the text that the member's {@link PeerPages} parse
     * @param maxBytes the most bytes that the page may have
     * @return the bytes as the member sent them: not checked
     */
    CompletionStage<ByteBuffer> ask(Member member, String request, int maxBytes);

    /**
     * Takes parts of other members from now on, if this instance answers others at all. Without a
     * hub, parts are refused.
     */
    void combineBy(Hub hub);

    /** Hands parts to the hubs of other members. */
    HandOver handOver();

    /** Ends the server and the client. Idempotent. */
    @Override
    void close();
}
