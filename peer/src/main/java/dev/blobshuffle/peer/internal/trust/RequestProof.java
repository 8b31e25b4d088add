package dev.blobshuffle.peer.internal.trust;

import dev.blobshuffle.core.zone.Zone;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The headers of all requests that authenticate the client, name the turn of the request, and
 * demand a proof of the answer. Stateless.
 */
public final class RequestProof {
    public static final String SECTION = "blobshuffle-section";
    public static final String STORE = "blobshuffle-store";
    public static final String ZONE = "blobshuffle-zone";

    /**
     * The turn of a request: a text that is valid for one request of one connection. In an answer:
     * the turn of the next request.
     */
    public static final String TURN = "blobshuffle-turn";

    /**
     * Length and checksum of a request's body, the checksum in hexadecimal digits. Only requests
     * with a body have it.
     */
    public static final String BODY = "blobshuffle-body";

    /** The MAC of a body, if the answer's content needs one too. */
    public static final String BODY_PROOF = "blobshuffle-body-proof";

    private static final String CHALLENGE = "blobshuffle-challenge";

    /**
     * The version of the signed text. Members with different versions refuse each other's requests.
     */
    private static final String VERSION = "blobshuffle request 2";

    private RequestProof() {}

    /**
     * The values for signing a request.
     *
     * @param host the address of the member, for the header {@code Host}
     * @param turn of the request; empty if the client does not know it
     * @param keys empty if only certificates are used
     * @param challenge empty if TLS authenticates the answer
     */
    public record Signing(String host, String turn, Optional<MemberKeys> keys, Optional<PeerChallenge> challenge) {
        /** Signs a request that has all its other headers. */
        public Signed sign(HttpRequest request) {
            request.headers().set(HttpHeaderNames.HOST, host);
            if (!turn.isEmpty()) {
                request.headers().set(TURN, turn);
            }
            challenge.ifPresent(demand -> request.headers().set(CHALLENGE, demand.text()));
            if (keys.isEmpty()) {
                return new Signed(request, Optional.empty());
            }
            String text = text(request);
            request.headers()
                    .set(HttpHeaderNames.AUTHORIZATION, keys.get().requests().sign(text));
            return new Signed(request, demanded(request, text, keys.get()));
        }
    }

    /**
     * A request to send.
     *
     * @param proof the proof that its answer needs; empty if TLS authenticates the answer
     */
    public record Signed(HttpRequest request, Optional<AnswerProof> proof) {}

    /** The keys that verify a request's proof; empty if none does. */
    static Optional<MemberKeys> prover(HttpRequest request, String text, List<MemberKeys> keys) {
        String proof = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (proof == null) {
            return Optional.empty();
        }
        for (MemberKeys each : keys) {
            if (each.requests().accepts(text, proof)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /**
     * The text that the proof covers: everything that determines the answer. Each line is one
     * header, empty if the request has none. The last line exists only if there is a body.
     */
    public static String text(HttpRequest request) {
        HttpHeaders headers = request.headers();
        return VERSION + "\n" + request.method() + "\n" + request.uri() + "\n" + headers.get(TURN, "") + "\n"
                + headers.get(HttpHeaderNames.RANGE, "") + "\n"
                + headers.get(SECTION, "") + "\n" + headers.get(STORE, "") + "\n" + headers.get(ZONE, "") + "\n"
                + headers.get(CHALLENGE, "")
                + (headers.contains(BODY) ? "\n" + headers.get(BODY) : "");
    }

    /** The proof that a request demands of its answer; empty if it demands none. */
    public static Optional<AnswerProof> demanded(HttpRequest request, String text, MemberKeys keys) {
        String challenge = request.headers().get(CHALLENGE);
        return challenge == null
                ? Optional.empty()
                : Optional.of(new AnswerProof(keys.answers(), text, challenge.startsWith(PeerChallenge.SEALED)));
    }

    /** The value of the zone header. */
    public static String text(Zone zone) {
        return URLEncoder.encode(zone.name(), StandardCharsets.UTF_8);
    }

    /**
     * The client's zone; empty if it is unknown.
     *
     * @throws IllegalArgumentException if the header is not a zone
     */
    public static Optional<Zone> zone(HttpRequest request) {
        return Optional.ofNullable(request.headers().get(ZONE))
                .map(header -> new Zone(URLDecoder.decode(header, StandardCharsets.UTF_8)));
    }
}
