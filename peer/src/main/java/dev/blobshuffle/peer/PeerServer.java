package dev.blobshuffle.peer;

import dev.blobshuffle.core.cache.CachedBlobStore;
import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.membership.Endpoint;
import dev.blobshuffle.core.metrics.ShuffleMetrics;
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
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Answers other members from a store with its caches: {@code GET /blobs/<key>} with a range, {@code /health} for everybody, {@code /metrics} for members. Connections, and requests for which
 * the store is asked, are limited; a connection has one request at a time, and nothing is read from it meanwhile. Thread-safe.
 */
final class PeerServer implements AutoCloseable {
    /** Longer than clients keep a connection, so that they end it. */
    private static final int IDLE_SECONDS = 90;

    private static final int LONGEST_FIRST_LINE = 512;
    private static final int LONGEST_HEADERS = 8 << 10;
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(HeldBytes.CHUNK_LENGTH, 4 * HeldBytes.CHUNK_LENGTH);

    private final PeerOptions options;
    private final CachedBlobStore store;
    private final ShuffleMetrics metrics;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Semaphore places;
    private final Semaphore loads;
    private final Channel listening;

    /**
     * Starts to answer.
     *
     * @throws InvalidSettings fatal: the address cannot be used
     */
    PeerServer(
            Endpoint listen,
            PeerOptions options,
            CachedBlobStore store,
            ShuffleMetrics metrics,
            EventLoopGroup threads) {
        this.options = options;
        this.store = store;
        this.metrics = metrics;
        places = new Semaphore(options.limits().connections());
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
            throw new InvalidSettings(
                    "Cannot answer other instances at " + listen + ": " + bound.cause()
                            + ". Give peer.listen an address of this machine and a free port.",
                    bound.cause());
        }
        listening = bound.channel();
    }

    private void connected(SocketChannel channel) {
        if (!places.tryAcquire()) {
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> places.release());
        connections.add(channel);
        ChannelPipeline pipeline = channel.pipeline();
        options.tls().ifPresent(tls -> pipeline.addLast(tls.server().newHandler(channel.alloc())));
        pipeline.addLast(new IdleStateHandler(0, 0, IDLE_SECONDS, TimeUnit.SECONDS));
        pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_FIRST_LINE)
                .setMaxHeaderSize(LONGEST_HEADERS)));
        pipeline.addLast(new ChunkedWriteHandler());
        pipeline.addLast(new PeerConversation(options, store, metrics, loads));
    }

    /** Where it listens. */
    Endpoint endpoint(String host) {
        return new Endpoint(host, ((InetSocketAddress) listening.localAddress()).getPort());
    }

    /** Ends every connection. Idempotent. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
    }
}
