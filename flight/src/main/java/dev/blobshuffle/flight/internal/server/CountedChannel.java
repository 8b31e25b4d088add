package dev.blobshuffle.flight.internal.server;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOutboundBuffer;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A connection that counts the bytes that it has handed to the kernel, and that can be ended at any
 * time. Owned by its event loop.
 */
final class CountedChannel extends NioSocketChannel {
    private volatile long sent;
    private volatile boolean isUnwanted;

    CountedChannel(Channel parent, SocketChannel socket) {
        super(parent, socket);
        pipeline().addLast(new First());
    }

    /** How many bytes. Any thread may ask. */
    long sent() {
        return sent;
    }

    /**
     * Closes the connection, or has it close when it gets its event loop. Any thread may ask. gRPC
     * answers a close of the channel with a graceful end, which waits for all streams. A close by
     * the first handler does not pass it.
     */
    void end() {
        isUnwanted = true;
        if (isRegistered()) {
            pipeline().firstContext().close();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // the event loop alone writes it
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
