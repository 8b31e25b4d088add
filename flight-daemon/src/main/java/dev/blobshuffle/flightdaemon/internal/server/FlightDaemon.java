package dev.blobshuffle.flightdaemon.internal.server;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.flight.internal.wire.FlightMethods;
import dev.blobshuffle.flightdaemon.internal.blob.Catalog;
import dev.blobshuffle.flightdaemon.internal.blob.CopyStore;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.copy.Copier;
import dev.blobshuffle.flightdaemon.internal.server.FlightConfig.Security;
import dev.blobshuffle.flightdaemon.internal.server.call.CallPlaces;
import dev.blobshuffle.flightdaemon.internal.server.call.Caller;
import dev.blobshuffle.flightdaemon.internal.server.call.Connections;
import dev.blobshuffle.flightdaemon.internal.server.call.FlightCounters;
import dev.blobshuffle.flightdaemon.internal.server.call.Tokens;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpBlobs;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpConfig;
import dev.blobshuffle.flightdaemon.internal.server.http.HttpServer;
import dev.blobshuffle.flightdaemon.internal.server.put.InboundBytes;
import dev.blobshuffle.flightdaemon.internal.server.put.PutBudget;
import dev.blobshuffle.flightdaemon.internal.server.put.PutStream;
import dev.blobshuffle.flightdaemon.internal.server.put.Putting;
import dev.blobshuffle.flightdaemon.internal.server.read.Answering;
import dev.blobshuffle.flightdaemon.internal.server.read.CopyReaders;
import dev.blobshuffle.flightdaemon.internal.server.read.FlightReads;
import dev.blobshuffle.flightdaemon.internal.server.read.Footers;
import dev.blobshuffle.flightdaemon.internal.server.read.FrameBuffers;
import dev.blobshuffle.flightdaemon.internal.server.read.MemoryBudget;
import dev.blobshuffle.flightdaemon.internal.server.read.MessageAllocator;
import dev.blobshuffle.flightdaemon.internal.server.read.PartitionStream;
import dev.blobshuffle.flightdaemon.internal.server.read.ReaderWatch;
import dev.blobshuffle.flightdaemon.internal.server.read.Streaming;
import dev.blobshuffle.flightdaemon.internal.ticket.TicketKey;
import dev.blobshuffle.flightdaemon.internal.ticket.TicketSigner;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flight daemon. It serves the blobs of its directories to Arrow Flight clients until it is
 * closed. Thread-safe.
 */
public final class FlightDaemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FlightDaemon.class);

    private static final int LONGEST_HEADERS = 16 << 10;
    private static final int STREAMS_OF_CONNECTION = 1000;

    /** Threads that wait for a store of copies. */
    private static final int COPY_READERS = 16;

    private static final Duration WATCH = Duration.ofSeconds(1);
    private static final Duration SWEEP = Duration.ofMinutes(1);

    private final FlightConfig config;
    private final Time time;
    private final Catalog catalog;
    private final FlightCounters counters = new FlightCounters();
    private final MemoryBudget memory;
    private final FrameBuffers buffers = new FrameBuffers();
    private final MessageAllocator allocator = new MessageAllocator(buffers);
    private final Connections connections;
    private final PutBudget putMemory;
    private final Streaming streaming;
    private final ReaderWatch readerWatch;
    private final Putting putting;
    private final Time.Workers workers;
    private final Time.Workers copyWorkers;
    private final Map<String, CopyStore> copies;
    private final Optional<Copier> copier;
    private final CopyReport copyReport;
    private final NioEventLoopGroup network;
    private final Optional<HttpServer> http;
    private final Optional<MetricsServer> metrics;
    private final Server server;
    private final String incarnation;
    private final long startedNanos;
    private volatile boolean isClosed;

    private FlightDaemon(FlightConfig config, Time time) {
        this.config = config;
        this.time = time;
        startedNanos = time.nanos();
        incarnation = HexFormat.of().toHexDigits(time.randomLong());
        FlightConfig.Budgets budgets = config.budgets();
        // Read all fallible settings before any thread or socket exists.
        Optional<Tokens> tokens =
                tls().map(tls -> new Tokens(tls.tokens(), config.directories().keySet()));
        int tenants = tokens.map(Tokens::tenants).orElse(1);
        Descriptors.check(mostConnections(config), Descriptors.most());
        putMemory = new PutBudget(
                budgets.puts(), PutStream.LONGEST_MESSAGE, config.sharing().putsOfTenant(), tenants);
        Optional<SslContext> flightTls = tls().map(tls -> TlsContexts.of(tls, GrpcSslContexts::configure));
        Optional<SslContext> httpTls = tls().map(tls -> TlsContexts.of(tls, UnaryOperator.identity()));
        TicketSigner signer = new TicketSigner(TicketKey.of(config.ticketKeyFile(), time), time);
        copies = copies(config, time);
        catalog = catalog(config, copies, time);
        memory = new MemoryBudget(budgets.frames(), tenants);
        connections = new Connections(config.connections(), tenants, time, counters);
        copier = copies.isEmpty() ? Optional.empty() : Optional.of(new Copier(catalog, time));
        copyReport = new CopyReport(copier, copies.values());
        copyWorkers = time.workers("blobshuffle-flight-copy-read", COPY_READERS);
        FlightReads reads = new FlightReads(
                catalog, new Footers(copyWorkers), signer, config.ticketLifetime(), time, this::location, counters);
        // Threads for calls that look for copies.
        int waiting = copies.isEmpty() ? 0 : COPY_READERS;
        workers = time.workers("blobshuffle-flight", Math.max(4, 2 * processors()) + waiting);
        CopyReaders copyReaders = new CopyReaders(copyWorkers, memory);
        streaming = new Streaming(
                reads::open, new PartitionStream.Serving(time, workers, copyReaders, buffers, allocator, counters));
        readerWatch = new ReaderWatch(streaming, connections, memory, config.sharing(), counters, time);
        putting = new Putting(catalog, time, workers, putMemory, config.sharing(), counters);
        network = new NioEventLoopGroup(Math.max(2, processors()));
        HttpBlobs blobs = new HttpBlobs(catalog, signer, tokens, counters);
        Deque<AutoCloseable> started = new ArrayDeque<>();
        try {
            http = config.http().map(listener -> start(listener, httpTls, blobs, copyReaders));
            http.ifPresent(started::push);
            metrics = config.metrics().map(listen -> new MetricsServer(listen, this::metrics, time));
            metrics.ifPresent(started::push);
            server = start(builder(tokens, flightTls).addService(service(reads)));
        } catch (InvalidSettingsException e) {
            started.forEach(FlightDaemon::end);
            endThreads();
            throw e;
        }
    }

    private ServerServiceDefinition service(FlightReads reads) {
        FlightActions actions = new FlightActions(catalog, reads, counters, this::committed, this::stats);
        return ServerServiceDefinition.builder(FlightMethods.SERVICE)
                .addMethod(FlightMethods.LIST_FLIGHTS, new Answering(new FlightList(catalog)::flights))
                .addMethod(FlightMethods.GET_FLIGHT_INFO, new Answering(reads::info))
                .addMethod(FlightMethods.GET_SCHEMA, new Answering(reads::schema))
                .addMethod(FlightMethods.DO_GET, streaming)
                .addMethod(FlightMethods.DO_PUT, putting)
                .addMethod(FlightMethods.DO_ACTION, new Answering(actions::run))
                .addMethod(FlightMethods.LIST_ACTIONS, new Answering(actions::types))
                .build();
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    private static long mostConnections(FlightConfig config) {
        return (long) config.connections().connections()
                + config.http().map(listener -> listener.limits().connections()).orElse(0);
    }

    private Optional<Security.Tls> tls() {
        return config.security() instanceof Security.Tls tls ? Optional.of(tls) : Optional.empty();
    }

    private static void end(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            throw new IllegalStateException("Cannot end a part of the daemon.", e);
        }
    }

    private static Map<String, CopyStore> copies(FlightConfig config, Time time) {
        Map<String, CopyStore> opened = new TreeMap<>();
        try {
            config.copies()
                    .forEach((namespace, uri) -> opened.put(
                            namespace, new CopyStore(BlobStores.openNamed(uri, StoreContext.unmetered(time)), time)));
            return opened;
        } catch (RuntimeException e) {
            opened.values().forEach(CopyStore::close);
            throw e;
        }
    }

    private static Catalog catalog(FlightConfig config, Map<String, CopyStore> copies, Time time) {
        FlightConfig.Budgets budgets = config.budgets();
        try {
            return new Catalog(
                    config.directories(),
                    copies,
                    new Catalog.Limits(budgets.footers(), budgets.blobs(), budgets.quota()),
                    time);
        } catch (RuntimeException e) {
            copies.values().forEach(CopyStore::close);
            throw e;
        }
    }

    private void committed(String namespace, String shuffle) {
        copier.ifPresent(one -> one.copy(namespace, shuffle));
    }

    private HttpServer start(HttpConfig config, Optional<SslContext> tls, HttpBlobs blobs, CopyReaders copyReaders) {
        boolean isPlain = config.transport() == HttpConfig.Transport.PLAIN_TEXT;
        return new HttpServer(config, isPlain ? Optional.empty() : tls, blobs, counters, time, workers, copyReaders);
    }

    private void endThreads() {
        network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        workers.close();
        copyWorkers.close();
        copier.ifPresent(Copier::close);
        copies.values().forEach(CopyStore::close);
    }

    /**
     * Starts a daemon.
     *
     * @throws InvalidSettingsException fatal: the daemon cannot run with these settings
     */
    public static FlightDaemon start(FlightConfig config, Time time) {
        FlightDaemon daemon = new FlightDaemon(config, time);
        daemon.schedule(WATCH, daemon.readerWatch::look);
        daemon.schedule(WATCH, daemon.connections::endLate);
        // Separate from the other tasks, because it may wait for a disk.
        daemon.schedule(WATCH, daemon.putting::watch);
        config.lease().ifPresent(lease -> daemon.schedule(SWEEP, daemon::sweep));
        if (daemon.copier.isPresent()) {
            daemon.copier.get().start();
            daemon.schedule(SWEEP, daemon.catalog::forgetIdleCopies);
            daemon.copies.forEach((namespace, store) ->
                    LOG.info("Copies committed shuffles of {} to {}.", namespace, store.location()));
        }
        LOG.info("Serves {} at {}.", config.directories(), daemon.location());
        daemon.httpLocation().ifPresent(location -> LOG.info("Serves blobs at {}.", location));
        return daemon;
    }

    private NettyServerBuilder builder(Optional<Tokens> tokens, Optional<SslContext> tls) {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(config.host(), config.port()))
                .channelFactory(connections::listening)
                .bossEventLoopGroup(network)
                .workerEventLoopGroup(network)
                .executor(workers)
                .intercept(Caller.interceptor(
                        tokens, connections, new CallPlaces(config.sharing().callsOfTenant()), counters))
                .addStreamTracerFactory(InboundBytes.factory())
                .handshakeTimeout(config.connections().request().toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionIdle(config.connections().idle().toMillis(), TimeUnit.MILLISECONDS)
                .withOption(ChannelOption.SO_BACKLOG, 1024)
                .withChildOption(ChannelOption.ALLOCATOR, allocator)
                .maxInboundMessageSize(PutStream.LONGEST_MESSAGE)
                .maxInboundMetadataSize(LONGEST_HEADERS)
                .maxConcurrentCallsPerConnection(STREAMS_OF_CONNECTION)
                .keepAliveTime(1, TimeUnit.MINUTES)
                .permitKeepAliveTime(10, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true);
        tls.ifPresent(builder::sslContext);
        return builder;
    }

    private Server start(NettyServerBuilder builder) {
        try {
            return builder.build().start();
        } catch (IOException e) {
            throw new InvalidSettingsException(
                    "Cannot listen at " + config.host() + ":" + config.port() + ": " + e.getCause()
                            + ". Give an address of this machine and a free port; port 0 takes any free one.",
                    e);
        }
    }

    private void schedule(Duration every, Runnable task) {
        if (isClosed) {
            return;
        }
        Time.Cancellable ignored = time.schedule(every, () -> {
            if (!isClosed) {
                workers.execute(() -> {
                    task.run();
                    schedule(every, task);
                });
            }
        });
    }

    private void sweep() {
        try {
            catalog.sweep(config.lease().orElseThrow(), released -> {
                counters.released();
                LOG.info("Released shuffle {}: its lease ended.", released);
            });
        } catch (BlobShuffleException | RefusedException e) {
            LOG.warn("Cannot release all shuffles whose lease has ended. {}", e.getMessage());
        }
    }

    /** The port on which it listens. */
    public int port() {
        return server.getPort();
    }

    /** The address for clients, as a location of Flight. */
    public String location() {
        String scheme = config.security() instanceof Security.Tls ? "grpc+tls://" : "grpc+tcp://";
        return scheme + config.advertised().orElseGet(() -> config.host() + ":" + port());
    }

    /**
     * The URL of the HTTP server, to which clients append {@code /NAMESPACE}; empty if there is
     * none.
     */
    public Optional<String> httpLocation() {
        return http.map(running -> {
            HttpConfig settings = config.http().orElseThrow();
            boolean isPlain = settings.transport() == HttpConfig.Transport.PLAIN_TEXT
                    || config.security() instanceof Security.InsecureLoopback;
            return (isPlain ? "http://" : "https://") + settings.host() + ":" + running.port();
        });
    }

    /** The listening address of the metrics; empty if there is none. */
    public Optional<Endpoint> metricsAddress() {
        return metrics.map(MetricsServer::address);
    }

    private Map<FlightMetric, Double> metrics() {
        FlightCounters.Snapshot counted = counters.snapshot();
        Map<FlightMetric, Double> values = new EnumMap<>(FlightMetric.class);
        values.put(FlightMetric.STREAMS, (double) counted.streams());
        values.put(FlightMetric.FRAMES, (double) counted.frames());
        values.put(FlightMetric.BYTES_SERVED, (double) counted.bytes());
        values.put(FlightMetric.HTTP_ANSWERS, (double) counted.httpAnswers());
        values.put(FlightMetric.HTTP_BYTES, (double) counted.httpBytes());
        values.put(FlightMetric.FAILURES, (double) counted.failures());
        values.put(FlightMetric.REFUSALS, (double) counted.refusals());
        values.put(FlightMetric.STALLS, (double) counted.stalls());
        values.put(FlightMetric.RELEASES, (double) counted.releases());
        values.put(FlightMetric.PUTS, (double) counted.puts());
        values.put(FlightMetric.PUT_BYTES, (double) counted.putBytes());
        values.put(FlightMetric.PUT_FAILURES, (double) counted.putFailures());
        values.put(FlightMetric.TRANSFERS_TOO_SLOW, (double) counted.tooSlow());
        values.put(FlightMetric.PUTS_GAVE_WAY, (double) counted.gaveWay());
        values.put(FlightMetric.CALLS_OVER_LIMIT, (double) counted.callsOverLimit());
        values.put(FlightMetric.CONNECTIONS_ENDED, (double) counted.connectionsEnded());
        values.put(FlightMetric.PUTS_WAITING, (double) putMemory.waiting());
        values.put(FlightMetric.STREAMS_WAITING, (double) memory.waiting());
        values.put(FlightMetric.BLOBS_MOVED, (double) catalog.movedBlobs());
        values.put(FlightMetric.CONNECTIONS, (double) connections.count());
        values.put(
                FlightMetric.HTTP_CONNECTIONS,
                http.map(HttpServer::count).orElse(0).doubleValue());
        values.put(FlightMetric.STREAMS_RUNNING, (double) streaming.running().size());
        values.put(FlightMetric.PUTS_RUNNING, (double) putting.running());
        values.put(FlightMetric.SHUFFLES_OPEN, (double) catalog.openShuffles());
        values.put(FlightMetric.FRAME_MEMORY, (double) memory.inFlight());
        values.put(FlightMetric.FOOTER_MEMORY, (double) catalog.footerBytes());
        values.put(FlightMetric.PUT_MEMORY, (double) putMemory.held());
        values.put(FlightMetric.BLOB_MEMORY, (double) catalog.blobBytes());
        values.put(FlightMetric.DISK_FREE, (double) catalog.freeBytes());
        copyReport.addTo(values);
        return values;
    }

    private JsonObject stats() {
        FlightCounters.Snapshot counted = counters.snapshot();
        JsonObject stats = new JsonObject();
        stats.addProperty("incarnation", incarnation);
        stats.addProperty("uptime_seconds", TimeUnit.NANOSECONDS.toSeconds(time.nanos() - startedNanos));
        stats.addProperty("connections", connections.count());
        stats.addProperty("running_streams", streaming.running().size());
        stats.addProperty("memory_bytes", config.budgets().frames());
        stats.addProperty("memory_used_bytes", memory.inFlight());
        stats.addProperty("footer_bytes", catalog.footerBytes());
        stats.addProperty("streams", counted.streams());
        stats.addProperty("frames", counted.frames());
        stats.addProperty("bytes", counted.bytes());
        http.ifPresent(server -> stats.addProperty("http_connections", server.count()));
        stats.addProperty("http_answers", counted.httpAnswers());
        stats.addProperty("http_bytes", counted.httpBytes());
        stats.addProperty("running_puts", putting.running());
        stats.addProperty("waiting_puts", putMemory.waiting());
        stats.addProperty("put_memory_bytes", config.budgets().puts());
        stats.addProperty("put_memory_used_bytes", putMemory.held());
        stats.addProperty("puts", counted.puts());
        stats.addProperty("put_bytes", counted.putBytes());
        stats.addProperty("put_failures", counted.putFailures());
        stats.addProperty("blob_memory_bytes", config.budgets().blobs());
        stats.addProperty("blob_memory_used_bytes", catalog.blobBytes());
        stats.addProperty("blobs_moved", catalog.movedBlobs());
        copyReport.addTo(stats);
        stats.addProperty("failures", counted.failures());
        stats.addProperty("refusals", counted.refusals());
        stats.addProperty("stalls", counted.stalls());
        stats.addProperty("too_slow", counted.tooSlow());
        stats.addProperty("gave_way", counted.gaveWay());
        stats.addProperty("calls_over_limit", counted.callsOverLimit());
        stats.addProperty("connections_ended", counted.connectionsEnded());
        stats.addProperty("releases", counted.releases());
        JsonArray namespaces = new JsonArray();
        catalog.namespaces().stream().filter(Caller.present()::may).forEach(namespaces::add);
        stats.add("namespaces", namespaces);
        return stats;
    }

    /** Ends all streams and closes the connections. Blobs stay. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        http.ifPresent(HttpServer::close);
        metrics.ifPresent(MetricsServer::close);
        server.shutdownNow();
        try {
            boolean ignored = server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endThreads();
    }
}
