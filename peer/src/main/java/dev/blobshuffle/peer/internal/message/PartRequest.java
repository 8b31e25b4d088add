package dev.blobshuffle.peer.internal.message;

import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.trust.AnswerProof;
import dev.blobshuffle.peer.internal.trust.RequestProof;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * An HTTP request that hands a part to a hub ({@code docs/guides/combining.md}, "The protocol").
 * The proof of the request covers the body's length and checksum. Thread-safe.
 *
 * @param id the part's own id
 * @param part its bytes, which the caller holds until the answer arrived
 * @param store fingerprint of the writer's store
 * @param zone the writer's zone; empty if unknown
 */
public record PartRequest(BlobId id, BlobContent part, int store, Optional<Zone> zone) implements PeerQuestion {
    /** The prefix of the path. */
    static final String PATH = "/parts/";

    @Override
    public RequestProof.Signed write(RequestProof.Signing signing) {
        part.retain();
        List<ByteBuffer> buffers = part.buffers();
        DefaultFullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.POST,
                PATH + BlobKey.of(id),
                Unpooled.wrappedBuffer(buffers.size(), buffers.toArray(ByteBuffer[]::new)));
        request.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, part.length())
                .set(RequestProof.STORE, String.format(Locale.ROOT, "%08x", store))
                .set(RequestProof.BODY, PartHead.body(part.length(), checksum(buffers)));
        zone.ifPresent(own -> request.headers().set(RequestProof.ZONE, RequestProof.text(own)));
        RequestProof.Signed signed = signing.sign(request);
        signed.proof()
                .filter(AnswerProof::isSealed)
                .ifPresent(proof -> request.headers().set(RequestProof.BODY_PROOF, proof.body(part.buffers())));
        return signed;
    }

    private static int checksum(List<ByteBuffer> buffers) {
        CRC32C crc = new CRC32C();
        buffers.forEach(buffer -> crc.update(buffer.duplicate()));
        return (int) crc.getValue();
    }

    @Override
    public void written() {
        part.release();
    }
}
