package dev.blobshuffle.flight.internal.server;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of clients, by their address. gRPC's server cannot end a stream whose client does
 * not read, so the daemon closes the connection. Thread-safe.
 */
final class Connections {
    private final Map<Object, Channel> open = new ConcurrentHashMap<>();

    /** A listening socket that remembers what it accepts. */
    NioServerSocketChannel listening() {
        return new NioServerSocketChannel() {
            @Override
            protected int doReadMessages(List<Object> accepted) throws Exception {
                int before = accepted.size();
                int count = super.doReadMessages(accepted);
                accepted.subList(before, accepted.size()).forEach(channel -> remember((Channel) channel));
                return count;
            }
        };
    }

    private void remember(Channel channel) {
        Object address = channel.remoteAddress();
        if (address != null) {
            open.put(address, channel);
            channel.closeFuture().addListener(closed -> open.remove(address, channel));
        }
    }

    /** Closes a connection; returns whether there was one. */
    boolean close(Object address) {
        Channel channel = open.remove(address);
        if (channel == null) {
            return false;
        }
        // gRPC answers a close of the channel with a graceful end, which waits for all streams. A
        // close by the first handler does not pass it.
        channel.pipeline().firstContext().close();
        return true;
    }

    int count() {
        return open.size();
    }
}
