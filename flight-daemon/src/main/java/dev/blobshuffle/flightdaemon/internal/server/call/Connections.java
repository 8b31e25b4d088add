package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.core.time.Time;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The connections of clients by address, limited in total and per address. A connection is a
 * stranger until its first call with a valid token. Strangers make room for new connections, and
 * are closed if that call does not come in time.
 *
 * <p>gRPC's server cannot end a stream whose client does not read, so the daemon closes the
 * connection. Thread-safe.
 */
public final class Connections {
    private final ConnectionLimits limits;
    private final Time time;
    private final EndedConnections ended;
    private final TenantPlaces<CountedChannel> places;
    private final Map<Object, Visit> open = new ConcurrentHashMap<>();

    /** A connection. */
    private static final class Visit {
        final CountedChannel channel;
        final long sinceNanos;
        volatile boolean isKnown;
        volatile boolean keepsPlace;
        volatile boolean isGone;

        Visit(CountedChannel channel, long sinceNanos) {
            this.channel = channel;
            this.sinceNanos = sinceNanos;
        }
    }

    /**
     * An empty set of connections.
     *
     * @param tenants the number of tenants
     */
    public Connections(ConnectionLimits limits, int tenants, Time time, FlightCounters counters) {
        this.limits = limits;
        this.time = time;
        places = new TenantPlaces<>(limits.connections(), limits.ofAddress(), tenants);
        ended = new EndedConnections("The server of Flight", counters::connectionEnded, time);
    }

    /**
     * Creates a listening socket that records accepted connections, and refuses those without a
     * place.
     */
    public NioServerSocketChannel listening() {
        return new NioServerSocketChannel() {
            @Override
            protected int doReadMessages(List<Object> accepted) throws Exception {
                SocketChannel socket = javaChannel().accept();
                if (socket == null) {
                    return 0;
                }
                CountedChannel channel = new CountedChannel(this, socket);
                if (enter(channel)) {
                    accepted.add(channel);
                }
                return 1;
            }
        };
    }

    private boolean enter(CountedChannel channel) {
        InetSocketAddress address = channel.remoteAddress();
        if (address == null) { // The client has disconnected.
            channel.unsafe().closeForcibly();
            return false;
        }
        Optional<CountedChannel> out = places.enter(channel, address.getAddress());
        out.ifPresent(one -> end(one, "too many connections at a time"));
        if (out.equals(Optional.of(channel))) {
            return false;
        }
        Visit visit = new Visit(channel, time.nanos());
        open.put(address, visit);
        channel.closeFuture().addListener(closed -> left(address, visit));
        return true;
    }

    private void left(Object address, Visit visit) {
        open.remove(address, visit);
        visit.isGone = true;
        places.leave(visit.channel);
    }

    /**
     * Records that a connection has made a call with a valid token.
     *
     * @param address of its client; null if the call has no connection
     */
    void know(@Nullable Object address, Object tenant) {
        Visit visit = address == null ? null : open.get(address);
        if (visit != null && !visit.keepsPlace) {
            visit.isKnown = true;
            visit.keepsPlace = places.keep(visit.channel, tenant);
            if (visit.isGone) { // It has disconnected meanwhile.
                places.leave(visit.channel);
            }
        }
    }

    /** Closes connections whose first call did not come in time. */
    public void endLate() {
        long now = time.nanos();
        open.values().forEach(visit -> {
            if (!visit.isKnown && now - visit.sinceNanos > limits.request().toNanos()) {
                end(
                        visit.channel,
                        "no call with a valid token within " + limits.request().toMillis() + " ms");
            }
        });
    }

    private void end(CountedChannel channel, String reason) {
        InetSocketAddress address = channel.remoteAddress();
        ended.ended(address.getAddress(), reason);
        Visit visit = open.get(address);
        if (visit != null && visit.channel == channel) {
            left(address, visit);
        }
        channel.end();
    }

    /** The number of bytes that a connection has sent. */
    public long sent(Object address) {
        Visit visit = open.get(address);
        return visit == null ? 0 : visit.channel.sent();
    }

    /**
     * Closes a connection. Sends the reason if the client still reads.
     *
     * @return whether the connection existed
     */
    public boolean close(Object address, String reason) {
        Visit visit = open.remove(address);
        if (visit == null) {
            return false;
        }
        CountedChannel channel = visit.channel;
        channel.eventLoop().execute(() -> {
            Http2ConnectionHandler http = channel.pipeline().get(Http2ConnectionHandler.class);
            if (http != null) {
                ChannelHandlerContext context = channel.pipeline().context(http);
                ChannelFuture ignored = http.goAway(
                        context,
                        http.connection().remote().lastStreamCreated(),
                        Http2Error.NO_ERROR.code(),
                        Unpooled.copiedBuffer(reason, StandardCharsets.UTF_8),
                        context.newPromise());
                context.flush();
            }
            channel.end();
        });
        return true;
    }

    public int count() {
        return places.count();
    }
}
