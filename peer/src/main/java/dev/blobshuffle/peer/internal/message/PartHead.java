package dev.blobshuffle.peer.internal.message;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The head of a request that hands over a part.
 *
 * @param id the part's own id
 * @param store fingerprint of the writer's store
 * @param zone the writer's zone; empty if unknown
 * @param length length of the body, bytes
 * @param checksum CRC32C of the body
 */
public record PartHead(BlobId id, int store, Optional<Zone> zone, int length, int checksum) {
    /** More than any hub accepts. A longer body is not even received to be discarded. */
    static final int MOST_BYTES = 64 << 20;

    /** Whether a request hands over a part. */
    public static boolean isPart(HttpRequest request) {
        return request.method().equals(HttpMethod.POST) && request.uri().startsWith(PartRequest.PATH);
    }

    /** The value of the header {@link RequestProof#BODY}. */
    static String body(long length, int checksum) {
        return length + " " + HexFormat.of().toHexDigits(checksum);
    }

    /**
     * Parses a head.
     *
     * @throws IllegalArgumentException if it is not one of a part; the message says why
     */
    public static PartHead read(HttpRequest request) {
        Optional<BlobId> id = BlobKey.parse(request.uri().substring(PartRequest.PATH.length()));
        long length = length(request);
        String store = request.headers().get(RequestProof.STORE, "");
        String body = request.headers().get(RequestProof.BODY, "");
        String stated = length + " ";
        if (id.isEmpty() || length < 1 || length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "Cannot combine: the path is not /parts/<key>, or the body has no legal length.");
        }
        try {
            if (!body.startsWith(stated)) {
                throw new NumberFormatException();
            }
            return new PartHead(
                    id.get(),
                    HexFormat.fromHexDigits(store),
                    RequestProof.zone(request),
                    (int) length,
                    HexFormat.fromHexDigits(body.substring(stated.length())));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Cannot combine: the header " + RequestProof.STORE + " or " + RequestProof.BODY
                            + " is not of the right form.",
                    e);
        }
    }

    private static long length(HttpRequest request) {
        boolean isStated = request.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                && !HttpUtil.isTransferEncodingChunked(request);
        return isStated ? HttpUtil.getContentLength(request, 0L) : 0;
    }
}
