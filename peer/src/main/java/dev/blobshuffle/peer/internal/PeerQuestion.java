package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.membership.PeerSecret;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Optional;

/** What a member asks another one. */
interface PeerQuestion {
    /**
     * The HTTP request.
     *
     * @param challenge empty if TLS authenticates the answer
     */
    HttpRequest write(String host, Optional<PeerSecret> secret, Optional<PeerChallenge> challenge);
}
