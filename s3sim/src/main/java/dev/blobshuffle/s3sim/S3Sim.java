package dev.blobshuffle.s3sim;

import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.planner.LatencyModel;
import dev.blobshuffle.planner.LatencyProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An S3 server on a loopback socket of this JVM, for tests and benchmarks of clients. It keeps
 * objects in memory, uses a thread per connection and little CPU time. It supports the parts of the
 * S3 API that clients of blobs need: puts, gets and ranges, heads, deletes, listings, conditional
 * puts, {@code aws-chunked} bodies with trailers, {@code Expect: 100-continue}, both address
 * styles, and TLS. It does not verify signatures, and injects the faults of a
 * {@link WireFaultPlan}. It does not prove conformance: real servers do.
 *
 * <pre>{@code
 * try (S3Sim sim = S3Sim.builder().bucket("blobs").start()) {
 *     … sim.endpoint() …
 *     assertThat(sim.counts().of(Operation.PUT_OBJECT)).isEqualTo(1);
 * }
 * }</pre>
 *
 * <p>Thread-safe. The caller that starts it owns it and closes it.
 */
public final class S3Sim implements AutoCloseable {
    private static final int BACKLOG = 256;

    private final S3SimBuilder options;
    private final SeededTime time;
    private final Memory memory;
    private final Counting counting = new Counting(Optional.empty());
    private final ObjectService service;
    private final Gatekeeper gatekeeper;
    private final Throttle throttle;
    private final Optional<SSLContext> tls;
    private final Time.Workers acceptor;
    private final Time.Workers connections;

    /** Raised when the server goes down, to wake waiting threads. */
    private final Signal down;

    private final Set<Wire> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong accepted = new AtomicLong();
    private final int port;

    /** Null while the server is down. Guarded by this. */
    private @Nullable ServerSocket listener;

    private volatile WireFaultPlan plan;
    private volatile LatencyProfile latency;
    private volatile Duration skew;

    S3Sim(S3SimBuilder options) {
        this.options = options;
        time = new SeededTime(options.seed());
        memory = new Memory(options.bytes());
        service = new ObjectService(memory, counting, options.region());
        gatekeeper = new Gatekeeper(options.accessKeyId(), options.region(), options.refusesChecksums());
        throttle = new Throttle(options.throttle(), time);
        tls = options.tls().map(TlsIdentity::serverContext);
        plan = options.faults();
        latency = options.latency();
        skew = options.skew();
        down = time.signal();
        acceptor = time.workers("s3sim-accept", 1);
        connections = time.workers("s3sim-connection", options.connections());
        options.buckets().forEach(this::createBucket);
        port = listen(options.port());
    }

    /** A builder with sound defaults. */
    public static S3SimBuilder builder() {
        return new S3SimBuilder();
    }

    /** The address for path-style requests: {@code http://localhost:PORT}, or {@code https}. */
    public URI endpoint() {
        return URI.create((tls.isPresent() ? "https" : "http") + "://localhost:" + port);
    }

    /** The port. It never changes. */
    public int port() {
        return port;
    }

    /** Creates an empty bucket. */
    public void createBucket(String name) {
        try {
            service.createBucket(name);
        } catch (RefusedException e) {
            throw new IllegalArgumentException(
                    "Cannot make bucket '" + name + "': " + e.getMessage() + ". Give another name.", e);
        }
    }

    /** The keys of a bucket, in order. */
    public Set<String> keys(String bucket) {
        return new TreeSet<>(existing(bucket).objects().keySet());
    }

    /**
     * Changes one bit of an object, like a failing disk. No effect if the object is empty or does
     * not exist.
     */
    public void damage(String bucket, String key) {
        StoredObject object = existing(bucket).object(key);
        if (object != null && object.bytes().length > 0) {
            object.bytes()[object.bytes().length / 2] ^= 0x10;
        }
    }

    /**
     * Sets a bucket's lifecycle rules, which are reported but not applied; empty: the bucket has no
     * configuration.
     */
    public void lifecycle(String bucket, List<LifecycleRule> rules) {
        existing(bucket).lifecycle(rules);
    }

    /** From now on, reports that a bucket keeps old versions, although it does not. */
    public void startVersioning(String bucket) {
        existing(bucket).startVersioning();
    }

    private SimulatedBucket existing(String bucket) {
        return service.find(bucket)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot find bucket '" + bucket + "': it is not there. Create it first."));
    }

    /** Replaces the plan of faults for further requests. */
    public void follow(WireFaultPlan newPlan) {
        plan = newPlan;
    }

    /** Replaces the latencies for further requests. */
    public void slow(LatencyProfile profile) {
        latency = profile;
    }

    /** Replaces the limit of requests; empty: none. */
    public void throttle(Optional<ThrottleLimit> limit) {
        throttle.limit(limit);
    }

    /** Sets how far the server's clock is ahead; negative: behind. */
    public void skew(Duration newSkew) {
        skew = newSkew;
    }

    /** Requests so far, with or without a bucket. */
    public RequestCounts counts() {
        return counting.counts();
    }

    /** Requests to one bucket so far. */
    public RequestCounts counts(String bucket) {
        return existing(bucket).counting().counts();
    }

    /** The number of open connections. */
    public int openConnections() {
        return open.size();
    }

    /** The number of connections accepted so far. */
    public long acceptedConnections() {
        return accepted.get();
    }

    /** Bytes of all objects. */
    public long storedBytes() {
        return memory.used();
    }

    /**
     * Refuses new connections from now on and resets open ones, like a crashed server. Objects
     * stay. Idempotent.
     */
    public void goDown() {
        synchronized (this) {
            ServerSocket current = listener;
            listener = null;
            if (current != null) {
                try {
                    current.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        resetConnections();
    }

    /** Resets open connections. New connections are accepted. */
    public void resetConnections() {
        down.raise();
        open.forEach(Wire::reset);
    }

    /** Listens again after {@link #goDown}, on the same port. Idempotent. */
    public void comeBack() {
        listen(port);
    }

    /** Stops the server immediately. Idempotent. */
    @Override
    public void close() {
        goDown();
        acceptor.close();
        connections.close();
        time.close();
    }

    private int listen(int wanted) {
        synchronized (this) {
            if (listener != null) {
                return listener.getLocalPort();
            }
            try {
                ServerSocket socket = wanted == 0 ? bindSomewhere() : bind(wanted);
                listener = socket;
                acceptor.execute(() -> accept(socket));
                return socket.getLocalPort();
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot listen on port " + wanted + ". Choose another one, or 0.", e);
            }
        }
    }

    private static ServerSocket bind(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Binds below the range of ports for outgoing connections (on Linux from 32768). While the
     * server is down, a client that keeps connecting could be given the port for its own end.
     */
    private static ServerSocket bindSomewhere() throws IOException {
        IOException last = new IOException("no attempt was made");
        for (int attempt = 0; attempt < 200; attempt++) {
            try {
                return bind(ThreadLocalRandom.current().nextInt(12_000, 32_000));
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    private void accept(ServerSocket socket) {
        while (true) {
            try {
                take(socket, socket.accept());
            } catch (IOException e) {
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    /**
     * Serves a connection. A connection accepted while the server closes is reset, which is not an
     * error.
     */
    void take(ServerSocket from, Socket raw) throws IOException {
        Wire wire = new Wire(raw, tls, options.idle());
        // Only this thread adds, so the bound holds, and every open connection has its thread.
        if (open.size() >= options.connections()) {
            wire.reset();
            return;
        }
        accepted.incrementAndGet();
        open.add(wire);
        if (from.isClosed()) {
            wire.reset(); // It may have arrived after the reset of all others.
        }
        try {
            connections.execute(() -> {
                try {
                    new Connection(this, wire).serve();
                } finally {
                    open.remove(wire);
                }
            });
        } catch (ClosedException e) {
            open.remove(wire);
            wire.reset();
            if (!from.isClosed()) {
                throw e;
            }
        }
    }

    /**
     * The number of resets of all connections so far. A connection that began before the last one
     * must end.
     */
    long resets() {
        return down.count();
    }

    /**
     * Waits until a time after a start has passed.
     *
     * @param resets the number of resets when the connection began
     * @throws IOException at once if connections were reset since then, because no further answer
     *     may be sent
     */
    void waitUntil(long startNanos, Duration after, long resets) throws IOException, InterruptedException {
        if (down.count() != resets || (!after.isZero() && down.await(resets, startNanos + after.toNanos()))) {
            throw new IOException("the connection was reset");
        }
    }

    Duration latency(Operation operation, int status, long bytesIn, int bytesOut) {
        LatencyProfile profile = latency;
        Optional<LatencyModel> model = operation == Operation.PUT_OBJECT ? profile.put() : profile.get();
        long bytes = operation == Operation.PUT_OBJECT ? bytesIn : operation == Operation.GET_OBJECT ? bytesOut : 0;
        return model.map(times -> times.sample(status < 400 ? bytes : 0, time::randomLong))
                .orElse(Duration.ZERO);
    }

    WireFault nextFault(WireRequest request) {
        return plan.next(request);
    }

    long nanos() {
        return time.nanos();
    }

    Instant now() {
        return Instant.ofEpochMilli(time.wallMillis()).plus(skew);
    }

    String domain() {
        return options.domain();
    }

    Counting counting(String bucket) {
        return service.find(bucket).map(SimulatedBucket::counting).orElse(counting);
    }

    Throttle throttle() {
        return throttle;
    }

    Gatekeeper gatekeeper() {
        return gatekeeper;
    }

    ObjectService service() {
        return service;
    }
}
