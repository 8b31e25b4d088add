package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.log.Bookmark;
import dev.blobshuffle.core.internal.log.share.LogQuestion;
import dev.blobshuffle.core.zone.Zone;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An HTTP request for a page of a log ({@code docs/guides/zones.md}, "The protocol"). The path has
 * everything that determines the page, and the proof of the request covers it. Stateless.
 *
 * @param question what is asked
 * @param zone the requester's zone; empty if unknown
 */
record LogPageRequest(LogQuestion question, Optional<Zone> zone) implements PeerQuestion {
    static final String PATH = "/log/";

    private static final Pattern FORM =
            Pattern.compile("/log/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9]{1,9})"
                    + "\\?after=([0-9]{1,18})&id=([0-9]{1,18})&crc=([0-9a-f]{8})&bytes=([0-9]{1,9})");

    @Override
    public RequestProof.Signed write(RequestProof.Signing signing) {
        Bookmark after = question.after();
        String path = PATH + question.log() + "/" + question.topic() + "?after=" + after.sequence() + "&id="
                + after.id() + "&crc=" + "%08x".formatted(after.checksum()) + "&bytes=" + question.maxBytes();
        HttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path, Unpooled.EMPTY_BUFFER);
        zone.ifPresent(own -> request.headers().set(RequestProof.ZONE, RequestProof.text(own)));
        return signing.sign(request);
    }

    /**
     * Reads a request.
     *
     * @throws IllegalArgumentException if the request is not for a page of a log; the message says
     *     why
     */
    static LogPageRequest read(HttpRequest request) {
        Matcher path = FORM.matcher(request.uri());
        if (!path.matches()) {
            throw new IllegalArgumentException("Cannot find a page: the path is not "
                    + "/log/<log>/<topic>?after=<sequence>&id=<id>&crc=<8 hex digits>&bytes=<most>.");
        }
        Bookmark after = new Bookmark(
                Long.parseLong(path.group(3)),
                Long.parseLong(path.group(4)),
                Integer.parseUnsignedInt(path.group(5), 16));
        LogQuestion question = new LogQuestion(
                UUID.fromString(path.group(1)),
                Integer.parseInt(path.group(2)),
                after,
                Integer.parseInt(path.group(6)));
        return new LogPageRequest(question, RequestProof.zone(request));
    }
}
