package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.peer.internal.message.PartHead;
import dev.blobshuffle.peer.internal.trust.AnswerProof;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The arrival of one part at a hub, or of a body that is discarded. The hub's memory for it is
 * reserved until it has arrived or the connection ends. Owned by the connection's event loop.
 */
final class PartReception {
    private final @Nullable Hub hub;
    private final @Nullable PartHead head;
    private final @Nullable DefaultFullHttpResponse refusal;
    private final byte[] bytes;
    private int count;
    private boolean isReserved;

    private PartReception(@Nullable Hub hub, @Nullable PartHead head, @Nullable DefaultFullHttpResponse refusal) {
        this.hub = hub;
        this.head = head;
        this.refusal = refusal;
        isReserved = hub != null;
        bytes = new byte[hub == null || head == null ? 0 : head.length()];
    }

    /** The arrival of a part whose memory is reserved. */
    static PartReception of(Hub hub, PartHead head) {
        return new PartReception(hub, head, null);
    }

    /**
     * The arrival of a body that is not used, so that the connection can go on.
     *
     * @param refusal the answer when it has arrived
     */
    static PartReception discarding(DefaultFullHttpResponse refusal) {
        return new PartReception(null, null, refusal);
    }

    /** The answer to a discarded body; empty if the part is used. */
    Optional<DefaultFullHttpResponse> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** Adds bytes of the body. The HTTP decoder delivers no more than the head states. */
    void add(ByteBuf part) {
        int length = part.readableBytes();
        if (hub != null) {
            part.readBytes(bytes, count, length);
        }
        count += length;
    }

    /**
     * Whether the body is the one that the request's proof covers.
     *
     * @param proof that of the request; empty if TLS authenticates it
     * @param given the body's own MAC; empty if the request has none
     */
    boolean isAuthentic(Optional<AnswerProof> proof, String given) {
        boolean isWhole = head != null && count == head.length() && Checksum.of(bytes, 0, count) == head.checksum();
        return isWhole
                && proof.filter(AnswerProof::isSealed)
                        .map(demanded -> demanded.body(List.of(ByteBuffer.wrap(bytes))))
                        .map(right -> MessageDigest.isEqual(
                                right.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8)))
                        .orElse(true);
    }

    /** Passes the part to the hub, which takes over its memory. */
    CompletionStage<PartAnswer> take() {
        if (hub == null || head == null) {
            throw new IllegalStateException("Cannot combine: the body is discarded.");
        }
        isReserved = false;
        return hub.take(head.id(), ByteBuffer.wrap(bytes), () -> {});
    }

    /** Returns the memory, if the hub has not taken the part. Idempotent. */
    void abandon() {
        if (isReserved && hub != null) {
            isReserved = false;
            hub.release(bytes.length);
        }
    }
}
