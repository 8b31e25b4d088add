package dev.blobshuffle.flightdaemon.internal.server.call;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOutboundBuffer;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A connection that counts the bytes handed to the kernel, and that can be closed at any time.
 * Owned by its event loop.
 */
final class CountedChannel extends NioSocketChannel {
    private volatile long sent;
    private volatile boolean isUnwanted;

    CountedChannel(Channel parent, SocketChannel socket) {
        super(parent, socket);
        pipeline().addLast(new First());
    }

    /** The number of bytes handed to the kernel. Callable from any thread. */
    long sent() {
        return sent;
    }

    /**
     * Closes the connection, or closes it once it has an event loop. Callable from any thread. If
     * the channel is closed, gRPC begins a graceful shutdown, which waits for all streams. A close
     * by the first handler bypasses gRPC.
     */
    void end() {
        isUnwanted = true;
        if (isRegistered()) {
            pipeline().firstContext().close();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the event loop writes it
    protected void doWrite(ChannelOutboundBuffer buffers) throws Exception {
        long before = buffers.totalPendingWriteBytes();
        try {
            super.doWrite(buffers);
        } finally {
            sent += before - buffers.totalPendingWriteBytes();
        }
    }

    /** The handler next to the socket. */
    private final class First extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            if (isUnwanted) {
                context.close();
            } else {
                context.fireChannelRegistered();
            }
        }
    }
}
