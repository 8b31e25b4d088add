package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.peer.internal.trust.PeerTrust;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * Detects from the first bytes whether a connection uses TLS. It closes a plain connection without
 * an answer, unless plain connections are allowed from its address. Owned by the connection's event
 * loop.
 */
final class FirstBytes extends ByteToMessageDecoder {
    /** Length of the header of a TLS record: type, version and length. */
    private static final int RECORD_HEAD_LENGTH = 5;

    private final PeerTrust trust;
    private final Duration deadline;
    private final Runnable whenRefused;

    /**
     * The detection for one connection.
     *
     * @param deadline time for the handshake
     * @param whenRefused runs if the connection should have used TLS
     */
    FirstBytes(PeerTrust trust, Duration deadline, Runnable whenRefused) {
        this.trust = trust;
        this.deadline = deadline;
        this.whenRefused = whenRefused;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) {
        if (bytes.readableBytes() < RECORD_HEAD_LENGTH || !context.channel().isActive()) {
            return;
        }
        if (SslHandler.isEncrypted(bytes, false)) {
            SslHandler handler = trust.tls().server().newHandler(context.alloc());
            handler.setHandshakeTimeoutMillis(deadline.toMillis());
            context.pipeline().replace(this, "tls", handler);
        } else if (trust.acceptsPlain(isFromLoopback(context))) {
            context.pipeline().remove(this);
        } else {
            bytes.skipBytes(bytes.readableBytes());
            whenRefused.run();
            context.close();
        }
    }

    private static boolean isFromLoopback(ChannelHandlerContext context) {
        return context.channel().remoteAddress() instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress();
    }
}
