package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.combine.PartRefusedException;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.message.PartHead;
import dev.blobshuffle.peer.internal.trust.AnswerProof;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of parts that arrive on a connection, one after the other. A part that the hub does
 * not take is received and discarded, so that the connection can go on. Owned by the connection's
 * event loop.
 */
final class PartBodies {
    private final Zone zone;
    private final int store;
    private final PeerHandlers handlers;

    /** The body that arrives; null: none. */
    private @Nullable PartReception arriving;

    /** The MAC of that body; empty if it needs none. */
    private String proof = "";

    /**
     * @param zone the zone of this member
     * @param store fingerprint of its store
     */
    PartBodies(Zone zone, int store, PeerHandlers handlers) {
        this.zone = zone;
        this.store = store;
        this.handlers = handlers;
    }

    boolean isArriving() {
        return arriving != null;
    }

    /**
     * Begins to receive the part of an admitted request.
     *
     * @param bodyProof the MAC of the body; empty if the request has none
     */
    void receive(PartHead head, String bodyProof) {
        proof = bodyProof;
        arriving = reception(head);
    }

    /** Begins to discard the body of a request that is not admitted. */
    void discard(DefaultFullHttpResponse answer) {
        proof = "";
        arriving = PartReception.discarding(answer);
    }

    private PartReception reception(PartHead head) {
        Optional<Hub> hub = handlers.hub().get();
        boolean isElsewhere = head.store() != store
                || head.zone().filter(asker -> !asker.equals(zone)).isPresent();
        if (hub.isEmpty()) {
            return PartReception.discarding(notCombined(HttpResponseStatus.NOT_FOUND));
        } else if (isElsewhere) {
            return PartReception.discarding(notCombined(HttpResponseStatus.MISDIRECTED_REQUEST));
        } else if (head.length() > hub.get().longestPart()) {
            return PartReception.discarding(notCombined(HttpResponseStatus.UNPROCESSABLE_ENTITY));
        } else if (!hub.get().reserve(head.length())) {
            return PartReception.discarding(notCombined(HttpResponseStatus.SERVICE_UNAVAILABLE));
        }
        return PartReception.of(hub.get(), head);
    }

    /** Adds bytes of the body that arrives. */
    void add(ByteBuf bytes) {
        if (arriving != null) {
            arriving.add(bytes);
        }
    }

    /**
     * The answer to a body that has arrived and was discarded; it arrives no more. Empty if it was
     * not discarded.
     */
    Optional<DefaultFullHttpResponse> refusal() {
        Optional<DefaultFullHttpResponse> refusal =
                Optional.ofNullable(arriving).flatMap(PartReception::refusal);
        if (refusal.isPresent()) {
            arriving = null;
        }
        return refusal;
    }

    /**
     * Passes the part that has arrived to the hub.
     *
     * @param demanded the proof of its request; empty if TLS authenticates it
     * @return empty: the body is not the one that the request's proof covers
     */
    Optional<CompletionStage<PartAnswer>> take(Optional<AnswerProof> demanded) {
        PartReception part = arriving;
        arriving = null;
        if (part == null || !part.isAuthentic(demanded, proof)) {
            Optional.ofNullable(part).ifPresent(PartReception::abandon);
            return Optional.empty();
        }
        return Optional.of(part.take());
    }

    /** Returns the memory of a part that arrives no more. Idempotent. */
    void abandon() {
        if (arriving != null) {
            arriving.abandon();
            arriving = null;
        }
    }

    /** The answer to a part that the hub took and did not combine. */
    static DefaultFullHttpResponse refusal(@Nullable Throwable failure) {
        return notCombined(status(failure));
    }

    private static HttpResponseStatus status(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof PartRefusedException refused)) {
            return HttpResponseStatus.BAD_GATEWAY;
        }
        return switch (refused.reason()) {
            case NO_HUB -> HttpResponseStatus.NOT_FOUND;
            case BUSY -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            case FOREIGN -> HttpResponseStatus.CONFLICT;
            case UNUSABLE -> HttpResponseStatus.UNPROCESSABLE_ENTITY;
        };
    }

    private static DefaultFullHttpResponse notCombined(HttpResponseStatus status) {
        return PeerAnswers.text(status, "Cannot combine this. Store it.\n");
    }
}
