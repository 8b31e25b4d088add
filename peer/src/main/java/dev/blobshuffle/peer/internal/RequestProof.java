package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.zone.Zone;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The headers of requests of all kinds that prove who asks, and demand a proof of the answer.
 * Stateless.
 */
final class RequestProof {
    static final String SECTION = "blobshuffle-section";
    static final String STORE = "blobshuffle-store";
    static final String ZONE = "blobshuffle-zone";
    private static final String CHALLENGE = "blobshuffle-challenge";

    private RequestProof() {}

    /** Adds challenge and proof to a request that has all its other headers. */
    static void add(HttpRequest request, Optional<PeerSecret> secret, Optional<PeerChallenge> challenge) {
        challenge.ifPresent(demand -> request.headers().set(CHALLENGE, demand.text()));
        secret.ifPresent(known -> request.headers().set(HttpHeaderNames.AUTHORIZATION, known.sign(signed(request))));
    }

    /** Whether a request of any kind proves that its sender knows the secret. */
    static boolean isProven(HttpRequest request, PeerSecret secret) {
        String proof = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        return proof != null && secret.accepts(signed(request), proof);
    }

    /** The text that the proof covers: everything that determines the answer. */
    private static String signed(HttpRequest request) {
        HttpHeaders headers = request.headers();
        String zone = headers.get(ZONE);
        String challenge = headers.get(CHALLENGE);
        return request.method() + "\n" + request.uri() + "\n" + headers.get(HttpHeaderNames.RANGE, "") + "\n"
                + headers.get(SECTION, "") + "\n" + headers.get(STORE, "")
                + (zone == null ? "" : "\n" + zone)
                + (challenge == null ? "" : "\n" + challenge);
    }

    /** The proof that a request demands of its answer; empty if it demands none. */
    static Optional<AnswerProof> demanded(HttpRequest request, PeerSecret key) {
        String challenge = request.headers().get(CHALLENGE);
        return challenge == null
                ? Optional.empty()
                : Optional.of(new AnswerProof(key, signed(request), challenge.startsWith(PeerChallenge.SEALED)));
    }

    /** The value of the header with the asker's zone. */
    static String text(Zone zone) {
        return URLEncoder.encode(zone.name(), StandardCharsets.UTF_8);
    }

    /**
     * The asker's zone; empty if it is unknown.
     *
     * @throws IllegalArgumentException if the header is not a zone
     */
    static Optional<Zone> zone(HttpRequest request) {
        return Optional.ofNullable(request.headers().get(ZONE))
                .map(header -> new Zone(URLDecoder.decode(header, StandardCharsets.UTF_8)));
    }
}
