package dev.blobshuffle.peer.internal.trust;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether a request comes from a member, and is meant for this connection and position.
 * Each connection has a unique text, and each request on it a number; both form the request's turn.
 * A captured request is thus worthless on another connection, with another member, or later. Owned
 * by the connection's event loop.
 *
 * <p>This needs no clocks and no memory of past requests. A client learns the first turn from the
 * refusal of its first request, and each further turn from the previous answer. Answers are
 * authentic, so no other process can make a member sign a turn.
 */
public final class RequestCheck {
    /** RFC 8470: the server does not answer a request that might be a replay. */
    public static final HttpResponseStatus OUT_OF_TURN = new HttpResponseStatus(425, "Too Early");

    private final PeerTrust trust;
    private final String connection;
    private long admitted;

    /**
     * The check for one connection.
     *
     * @param connection a text that no other connection has
     */
    public RequestCheck(PeerTrust trust, String connection) {
        this.trust = trust;
        this.connection = connection;
    }

    /** The classification of a request. */
    public enum Kind {
        /** The request may be answered. */
        ADMITTED,
        /** The signer is not a member, or is a member of another version. */
        UNPROVEN,
        /** The client does not know the turn yet. */
        WITHOUT_TURN,
        /** A replay: the request was for another connection or an earlier turn. */
        REPLAYED
    }

    /**
     * The result.
     *
     * @param proof the proof that the answer needs; empty if the request demands none
     * @param turn of the next request; empty if requests have none
     */
    public record Verdict(Kind kind, Optional<AnswerProof> proof, String turn) {}

    public Verdict check(HttpRequest request) {
        List<MemberKeys> keys = trust.keys();
        if (keys.isEmpty()) { // TLS has authenticated the client, and its bytes cannot be captured.
            return new Verdict(Kind.ADMITTED, Optional.empty(), "");
        }
        String text = RequestProof.text(request);
        Optional<MemberKeys> prover = RequestProof.prover(request, text, keys);
        if (prover.isEmpty()) {
            return new Verdict(Kind.UNPROVEN, Optional.empty(), "");
        }
        Optional<AnswerProof> proof = RequestProof.demanded(request, text, prover.get());
        String given = request.headers().get(RequestProof.TURN, "");
        if (given.equals(turn())) {
            admitted++;
            return new Verdict(Kind.ADMITTED, proof, turn());
        }
        return new Verdict(given.isEmpty() ? Kind.WITHOUT_TURN : Kind.REPLAYED, proof, turn());
    }

    private String turn() {
        return connection + "." + admitted;
    }
}
