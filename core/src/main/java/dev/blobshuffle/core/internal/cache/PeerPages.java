package dev.blobshuffle.core.internal.cache;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The pages that this instance sends to other members. The text of a request names a page; only the
 * requester and the implementation interpret it. Thread-safe; nothing blocks.
 */
public interface PeerPages {
    /**
     * Reads the text of a request.
     *
     * @throws IllegalArgumentException if the text names no page; the message says why
     */
    Request read(String text);

    /** A valid request for a page. */
    interface Request {
        /**
         * The page. The stage fails with {@link PeerRefusedException} if the requester must not
         * have the page.
         *
         * @param executor encodes the page
         */
        CompletionStage<Page> page(Executor executor);
    }

    /**
     * A page to send to a member.
     *
     * @param bytes of the page
     * @param release frees its memory; the network calls it once
     */
    record Page(byte[] bytes, Runnable release) {}
}
