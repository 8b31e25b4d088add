package dev.blobshuffle.peer.internal.client;

import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.message.PageRequest;
import dev.blobshuffle.peer.internal.message.PartRequest;
import dev.blobshuffle.peer.internal.message.PeerRequest;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.Nonces;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests to other members, over a few connections per member that stay open between
 * requests. Thread-safe.
 */
public final class HttpPeerClient implements PeerClient {
    private static final int RECEIVE_LENGTH = 128 << 10;

    /**
     * Shorter than the servers' idle time, so that no request is sent on a connection that the
     * server is closing.
     */
    private static final int IDLE_SECONDS = 60;

    /**
     * Most members to remember. Beyond this, unused ones are dropped, because members return under
     * new addresses.
     */
    private static final int MOST_MEMBERS = 1024;

    private final PeerOptions options;
    private final Time time;
    private final Bootstrap bootstrap;
    private final Map<Endpoint, PeerConnections> byEndpoint = new ConcurrentHashMap<>();

    /**
     * Connections of their own for parts, whose answers take as long as a put, so that reads do not
     * wait.
     */
    private final Map<Endpoint, PeerConnections> hubs = new ConcurrentHashMap<>();

    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Nonces nonces = new Nonces();
    private volatile int store;
    private volatile boolean isClosed;

    public HttpPeerClient(PeerOptions options, EventLoopGroup threads, Time time) {
        this.options = options;
        this.time = time;
        bootstrap = new Bootstrap()
                .group(threads)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RCVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_LENGTH))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.silence().toMillis());
    }

    private PeerConnections connections(Endpoint endpoint) {
        Bootstrap own = bootstrap.clone().handler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                connected(channel, endpoint);
            }
        });
        return new PeerConnections(endpoint, own, options.trust(), nonces, time);
    }

    private void connected(SocketChannel channel, Endpoint endpoint) {
        channels.add(channel);
        channel.attr(PeerConnections.GENERATION).set(options.trust().generation());
        if (options.trust().usesTls(endpoint)) {
            var handler = options.trust().tls().client().newHandler(channel.alloc());
            handler.setHandshakeTimeoutMillis(options.silence().toMillis());
            channel.pipeline().addLast(handler);
        }
        channel.pipeline().addLast(new IdleStateHandler(0, 0, IDLE_SECONDS, TimeUnit.SECONDS));
        channel.pipeline()
                .addLast(new HttpClientCodec(new HttpDecoderConfig().setMaxChunkSize(RECEIVE_LENGTH), false, false));
        channel.pipeline().addLast(PeerExchange.NAME, new PeerExchange(options.patience(), time));
    }

    /** Sets the store to which the reads refer. */
    public void reads(int fingerprint) {
        store = fingerprint;
    }

    private PeerConnections open(Endpoint endpoint) {
        return open(byEndpoint, endpoint);
    }

    private PeerConnections open(Map<Endpoint, PeerConnections> known, Endpoint endpoint) {
        if (known.size() > MOST_MEMBERS) {
            known.values().removeIf(PeerConnections::isUnused);
        }
        PeerConnections connections = known.computeIfAbsent(endpoint, this::connections);
        if (isClosed) {
            connections.close();
        }
        return connections;
    }

    /** Requests a page from a member. */
    public CompletionStage<ByteBuffer> ask(Member member, String page, int maxBytes) {
        PageAnswer answer = new PageAnswer(member.endpoint(), page, maxBytes);
        open(member.endpoint()).send(new PageRequest(page, Optional.of(options.zone())), answer);
        return answer.result();
    }

    /** Hands a part to a member. */
    public CompletionStage<PartAnswer> handOver(Member member, BlobId id, BlobContent part) {
        PartReply reply = new PartReply(member.endpoint(), id);
        part.retain();
        var ignored = reply.result().whenComplete((answer, failure) -> part.release());
        open(hubs, member.endpoint()).send(new PartRequest(id, part, store, Optional.of(options.zone())), reply);
        return reply.result();
    }

    @Override
    public CompletionStage<BlobBytes> get(Member member, BlobId id, BlobRange range) {
        Endpoint endpoint = member.endpoint();
        PeerConnections connections = open(endpoint);
        BlobAnswer answer = new BlobAnswer(endpoint, id, range);
        if (range.length() > Integer.MAX_VALUE - 8) {
            answer.fail(range.outside(id, Integer.MAX_VALUE - 8, endpoint.toString()));
        } else {
            connections.send(new PeerRequest(id, range, store, Optional.of(options.zone())), answer);
        }
        return answer.result();
    }

    @Override
    public void close() {
        isClosed = true;
        byEndpoint.values().forEach(PeerConnections::close);
        hubs.values().forEach(PeerConnections::close);
        channels.close();
    }
}
