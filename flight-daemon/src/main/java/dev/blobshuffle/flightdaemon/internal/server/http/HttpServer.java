package dev.blobshuffle.flightdaemon.internal.server.http;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.TenantPlaces;
import dev.blobshuffle.flightdaemon.internal.server.read.CopyReaders;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.ChannelPipeline;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.SocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.handler.flow.FlowControlHandler;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.handler.stream.ChunkedWriteHandler;
import io.grpc.netty.shaded.io.netty.handler.timeout.IdleStateHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves blobs by HTTP/1.1. It limits connections in total and per address, the time for a request,
 * and the time for each byte of an answer. It has its own threads, because the kernel may read a
 * disk while it sends a file. Flight calls thus do not wait for disks. Thread-safe.
 */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int LONGEST_FIRST_LINE = 1 << 10;
    private static final int LONGEST_HEADERS = 8 << 10;

    private final HttpConfig.Limits limits;
    private final Optional<SslContext> tls;
    private final HttpBlobs blobs;
    private final FlightCounters counters;
    private final Time.Workers workers;
    private final CopyReaders copies;
    private final TenantPlaces<Channel> places;
    private final EndedConnections ended;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final NioEventLoopGroup network;
    private final Channel listening;

    /**
     * Starts the server.
     *
     * @param tls empty: plain text
     * @param workers threads that find blobs, which blocks
     * @throws InvalidSettingsException fatal: the address is unusable
     */
    public HttpServer(
            HttpConfig config,
            Optional<SslContext> tls,
            HttpBlobs blobs,
            FlightCounters counters,
            Time time,
            Time.Workers workers,
            CopyReaders copies) {
        this.tls = tls;
        this.blobs = blobs;
        this.counters = counters;
        this.workers = workers;
        this.copies = copies;
        limits = config.limits();
        places = new TenantPlaces<>(limits.connections(), limits.ofAddress(), blobs.tenants());
        ended = new EndedConnections("The server of blobs", counters::connectionEnded, time);
        network = new NioEventLoopGroup(Math.max(2, Runtime.getRuntime().availableProcessors()));
        ChannelFuture bound = new ServerBootstrap()
                .group(network)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        connected(channel);
                    }
                })
                .bind(new InetSocketAddress(config.host(), config.port()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new InvalidSettingsException(
                    "Cannot listen at " + config.host() + ":" + config.port() + " for HTTP: " + bound.cause()
                            + ". Give an address of this machine and a free port; port 0 takes any free one.",
                    bound.cause());
        }
        listening = bound.channel();
    }

    private void connected(SocketChannel channel) {
        InetAddress address = channel.remoteAddress().getAddress();
        Optional<Channel> out = places.enter(channel, address);
        channel.closeFuture().addListener(closed -> places.leave(channel));
        out.ifPresent(one -> end(one, "too many connections at a time"));
        if (out.equals(Optional.of(channel))) {
            return;
        }
        connections.add(channel);
        ChannelPipeline pipeline = channel.pipeline();
        tls.ifPresent(context -> {
            SslHandler handler = context.newHandler(channel.alloc());
            handler.setHandshakeTimeoutMillis(limits.request().toMillis());
            pipeline.addLast(handler);
        });
        pipeline.addLast(new IdleStateHandler(true, 0, limits.stall().toMillis(), 0, TimeUnit.MILLISECONDS));
        pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_FIRST_LINE)
                .setMaxHeaderSize(LONGEST_HEADERS)));
        pipeline.addLast(new FlowControlHandler());
        pipeline.addLast(new ChunkedWriteHandler());
        pipeline.addLast(new HttpConversation(this));
    }

    HttpConfig.Limits limits() {
        return limits;
    }

    /** Finds the requested blob on a worker thread. */
    void find(HttpRequest request, Consumer<HttpAnswer> whenFound) {
        workers.execute(() -> whenFound.accept(blobs.answer(request)));
    }

    /** The resources of reads from copies. */
    CopyReaders copies() {
        return copies;
    }

    /**
     * Records that a client may read blobs. Its connection then no longer makes room for others.
     */
    void earned(Channel connection, Caller tenant) {
        boolean ignored = places.keep(connection, tenant);
        if (!connection.isOpen()) {
            places.leave(connection);
        }
    }

    /** Counts bytes of a blob that have been sent. */
    void sent(long bytes) {
        counters.sentByHttp(bytes);
    }

    /**
     * Counts a failed answer and closes its connection: the client has disconnected, or the file
     * was truncated.
     */
    void failed(Channel connection, @Nullable Throwable cause) {
        counters.failed();
        LOG.debug("Could not send a blob.", cause);
        connection.close();
    }

    /** Closes the connection of a client that takes no byte of its answer. */
    void stalled(Channel connection) {
        counters.stalled();
        end(connection, "it read nothing for " + limits.stall().toMillis() + " ms");
    }

    /** Closes a connection and reports the reason. */
    void end(Channel connection, String reason) {
        if (connection.remoteAddress() instanceof InetSocketAddress address) {
            ended.ended(address.getAddress(), reason);
        }
        connection.close();
    }

    /** The number of open connections. */
    public int count() {
        return places.count();
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        connections.close().awaitUninterruptibly();
        network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
