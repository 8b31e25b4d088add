package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.PeerNetwork;
import dev.blobshuffle.core.internal.cache.PeerPages;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.server.EndedConnections;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.peer.internal.client.HttpPeerClient;
import dev.blobshuffle.peer.internal.server.PeerHandlers;
import dev.blobshuffle.peer.internal.server.PeerServer;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 between the members of a zone: a client, and a server if the options define an address.
 * Both run on a few separate threads. Thread-safe.
 */
public final class HttpPeerNetwork implements PeerNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(HttpPeerNetwork.class);

    /** Two threads suffice, because the kernel does the sending. */
    private static final int THREADS = 2;

    /** The interval at which the file of secrets is checked, even without requests. */
    private static final int REFRESH_SECONDS = 1;

    private final PeerOptions options;
    private final ShuffleMetrics metrics;
    private final Time time;
    private final EventLoopGroup threads;
    private final HttpPeerClient client;
    private volatile Optional<PeerPages> pages = Optional.empty();
    private volatile Optional<Hub> hub = Optional.empty();

    /** Guarded by this, like the next field. */
    private @Nullable PeerServer server;

    private boolean isClosed;

    /** A network that has not started. */
    public HttpPeerNetwork(PeerOptions options, ShuffleMetrics metrics, Time time) {
        this.options = options;
        this.metrics = metrics;
        this.time = time;
        options.trust().prepare(options.listen());
        threads = new NioEventLoopGroup(THREADS, new DefaultThreadFactory("blobshuffle-peer", true));
        client = new HttpPeerClient(options, threads, time);
        var ignored = threads.next()
                .scheduleWithFixedDelay(options.trust()::refresh, REFRESH_SECONDS, REFRESH_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public PeerClient client() {
        return client;
    }

    @Override
    public CompletionStage<ByteBuffer> ask(Member member, String request, int maxBytes) {
        return client.ask(member, request, maxBytes);
    }

    @Override
    public void answerFrom(PeerPages shared) {
        pages = Optional.of(shared);
    }

    @Override
    public void combineBy(Hub own) {
        hub = Optional.of(own);
    }

    @Override
    public HandOver handOver() {
        return client::handOver;
    }

    @Override
    public synchronized Optional<Endpoint> serve(CachedBlobStore store) {
        client.reads(store.fingerprint());
        if (server != null || isClosed) {
            throw new IllegalStateException("Cannot serve twice, or after the end. Open another network.");
        }
        if (options.listen().isEmpty()) {
            return Optional.empty();
        }
        Endpoint listen = options.listen().get();
        EndedConnections ended = new EndedConnections(
                "The server for other instances at " + listen,
                () -> metrics.add(Counter.PEER_CONNECTIONS_ENDED, 1),
                time);
        PeerServer started = new PeerServer(
                listen, options, store, metrics, new PeerHandlers(() -> pages, () -> hub), ended, threads);
        server = started;
        Endpoint advertised = options.advertised().orElse(listen);
        Endpoint endpoint = advertised.port() == 0 ? started.endpoint(advertised.host()) : advertised;
        LOG.info("Answers other instances at {}, known to them as {}.", started.endpoint(listen.host()), endpoint);
        return Optional.of(endpoint);
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        client.close();
        if (server != null) {
            server.close();
        }
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
