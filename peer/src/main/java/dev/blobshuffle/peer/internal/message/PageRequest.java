package dev.blobshuffle.peer.internal.message;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;

/**
 * An HTTP request for a page ({@code docs/guides/zones.md}, "The protocol"). The path contains
 * everything that determines the page, and the proof of the request covers the path. Stateless.
 *
 * @param page the text that names the page
 * @param zone the requester's zone; empty if unknown
 */
public record PageRequest(String page, Optional<Zone> zone) implements PeerQuestion {
    /** The prefix of the path. All pages belong to logs. */
    public static final String PATH = "/log/";

    @Override
    public RequestProof.Signed write(RequestProof.Signing signing) {
        HttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, PATH + page, Unpooled.EMPTY_BUFFER);
        zone.ifPresent(own -> request.headers().set(RequestProof.ZONE, RequestProof.text(own)));
        return signing.sign(request);
    }

    /**
     * Parses a request whose path begins with {@link #PATH}.
     *
     * @throws IllegalArgumentException if its zone header is not a zone; the message says why
     */
    public static PageRequest read(HttpRequest request) {
        return new PageRequest(request.uri().substring(PATH.length()), RequestProof.zone(request));
    }
}
