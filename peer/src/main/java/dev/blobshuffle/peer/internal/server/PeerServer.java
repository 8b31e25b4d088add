package dev.blobshuffle.peer.internal.server;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.server.ConnectionPlaces;
import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.Nonces;
import dev.blobshuffle.peer.internal.trust.RequestCheck;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Serves other members from a store with its caches: {@code GET /blobs/<key>} with a range,
 * {@code GET /log/…} for pages of a log, {@code POST /parts/<key>} for parts, {@code /health} for
 * any client, {@code /metrics} for members. It limits the connections in total and per address, the
 * time in which a request must arrive, and the concurrent requests that read from the store. A
 * connection has one request at a time, and the server reads no further bytes until it has
 * answered. Thread-safe.
 */
public final class PeerServer implements AutoCloseable {
    /**
     * The idle time of connections. It is longer than the clients' idle time, so clients close
     * connections first.
     */
    private static final int IDLE_SECONDS = 90;

    private static final int LONGEST_FIRST_LINE = 512;
    private static final int LONGEST_HEADERS = 8 << 10;
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(HeldBytes.CHUNK_LENGTH, 4 * HeldBytes.CHUNK_LENGTH);

    private final PeerOptions options;
    private final CachedBlobStore store;
    private final ShuffleMetrics metrics;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final ConnectionPlaces<Channel> places;
    private final EndedConnections ended;
    private final Semaphore loads;
    private final PeerHandlers handlers;
    private final Nonces nonces = new Nonces();
    private final Channel listening;

    /**
     * Starts the server.
     *
     * @throws InvalidSettingsException fatal: the address is unusable
     */
    public PeerServer(
            Endpoint listen,
            PeerOptions options,
            CachedBlobStore store,
            ShuffleMetrics metrics,
            PeerHandlers handlers,
            EndedConnections ended,
            EventLoopGroup threads) {
        this.options = options;
        this.store = store;
        this.metrics = metrics;
        this.handlers = handlers;
        this.ended = ended;
        places = new ConnectionPlaces<>(
                options.limits().connections(), options.limits().ofAddress());
        loads = new Semaphore(options.limits().loads());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(threads)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connected(channel);
                    }
                });
        var bound = bootstrap
                .bind(new InetSocketAddress(listen.host(), listen.port()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new InvalidSettingsException(
                    "Cannot answer other instances at " + listen + ": " + bound.cause()
                            + ". Give peer.listen an address of this machine and a free port.",
                    bound.cause());
        }
        listening = bound.channel();
    }

    /**
     * A connection's place, and the deadline and the check of its requests. Owned by the
     * connection's event loop.
     */
    record Admission(RequestCheck check, ConnectionPlaces<Channel> places, Channel channel, RequestDeadline deadline) {
        /**
         * Records that a request has a valid proof. Its connection then no longer makes room for
         * others.
         */
        void earned() {
            places.earn(channel);
        }
    }

    private void connected(SocketChannel channel) {
        InetAddress address = channel.remoteAddress().getAddress();
        Optional<Channel> out = places.enter(channel, address);
        channel.closeFuture().addListener(closed -> places.leave(channel));
        out.ifPresent(one -> {
            ended.ended(address, "too many connections at a time");
            one.close();
        });
        if (out.equals(Optional.of(channel))) {
            return;
        }
        connections.add(channel);
        Duration limit = options.limits().request();
        RequestDeadline deadline = new RequestDeadline(
                limit, () -> ended.ended(address, "no complete request within " + limit.toMillis() + " ms"));
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addLast(deadline);
        pipeline.addLast(new FirstBytes(options.trust(), limit, () -> metrics.add(Counter.PEER_REFUSALS, 1)));
        pipeline.addLast(new IdleStateHandler(0, 0, IDLE_SECONDS, TimeUnit.SECONDS));
        pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_FIRST_LINE)
                .setMaxHeaderSize(LONGEST_HEADERS)));
        pipeline.addLast(new ChunkedWriteHandler());
        pipeline.addLast(new PeerConversation(
                options,
                store,
                metrics,
                loads,
                handlers,
                new Admission(new RequestCheck(options.trust(), nonces.next()), places, channel, deadline)));
    }

    /** The address of the server. */
    public Endpoint endpoint(String host) {
        return new Endpoint(host, ((InetSocketAddress) listening.localAddress()).getPort());
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
    }
}
