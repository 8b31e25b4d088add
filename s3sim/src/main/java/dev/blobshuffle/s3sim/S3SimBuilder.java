package dev.blobshuffle.s3sim;

import dev.blobshuffle.planner.LatencyProfile;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Builds an {@link S3Sim}. Not thread-safe; used once. */
public final class S3SimBuilder {
    private static final long DEFAULT_BYTES = 512L << 20;
    private static final int DEFAULT_CONNECTIONS = 256;

    private final Set<String> buckets = new LinkedHashSet<>();
    private int port;
    private long bytes = DEFAULT_BYTES;
    private int connections = DEFAULT_CONNECTIONS;
    private Duration idle = Duration.ofSeconds(10);
    private Duration skew = Duration.ZERO;
    private String domain = "localhost";
    private long seed = 1;
    private LatencyProfile latency = LatencyProfile.ZERO;
    private WireFaultPlan faults = WireFaultPlan.none();
    private Optional<String> accessKeyId = Optional.empty();
    private Optional<String> region = Optional.empty();
    private Optional<ThrottleLimit> throttle = Optional.empty();
    private Optional<TlsIdentity> tls = Optional.empty();
    private boolean refusesChecksums;

    S3SimBuilder() {}

    /** Adds an empty bucket; may be repeated. Default: no bucket. */
    public S3SimBuilder bucket(String name) {
        buckets.add(name);
        return this;
    }

    /** The port on the loopback address. Default 0: a free port. */
    public S3SimBuilder port(int port) {
        this.port = port;
        return this;
    }

    /**
     * The most bytes of all objects. Puts beyond get {@link S3Error#STORAGE_FULL}. Default 512 MiB.
     */
    public S3SimBuilder bytes(long bytes) {
        this.bytes = bytes;
        return this;
    }

    /**
     * The most concurrent connections, each with a thread. Further connections are reset. Default
     * 256.
     */
    public S3SimBuilder connections(int connections) {
        this.connections = connections;
        return this;
    }

    /**
     * The time without a byte from the client after which a connection is closed. Default 10 s,
     * about the same as S3.
     */
    public S3SimBuilder idle(Duration idle) {
        this.idle = idle;
        return this;
    }

    /**
     * How far the server's clock is ahead; negative: behind. Requests signed more than 15 minutes
     * off are refused. Default 0.
     */
    public S3SimBuilder skew(Duration skew) {
        this.skew = skew;
        return this;
    }

    /** Hosts named {@code BUCKET.DOMAIN} are virtual-host requests. Default {@code localhost}. */
    public S3SimBuilder domain(String domain) {
        this.domain = domain;
        return this;
    }

    /** Seed of the latencies. Default 1. */
    public S3SimBuilder seed(long seed) {
        this.seed = seed;
        return this;
    }

    /**
     * The durations of requests, including the time of sending and receiving. Default: no added
     * latency.
     */
    public S3SimBuilder latency(LatencyProfile latency) {
        this.latency = latency;
        return this;
    }

    /** The plan of faults. Default: none. */
    public S3SimBuilder faults(WireFaultPlan faults) {
        this.faults = faults;
        return this;
    }

    /**
     * The only valid access key id. Requests with others, and unsigned requests, are refused.
     * Signatures are not verified. Default: everything is permitted.
     */
    public S3SimBuilder accessKeyId(String accessKeyId) {
        this.accessKeyId = Optional.of(accessKeyId);
        return this;
    }

    /**
     * The region of the buckets. Requests signed for another region are redirected, like in S3.
     * Default: any.
     */
    public S3SimBuilder region(String region) {
        this.region = Optional.of(region);
        return this;
    }

    /** The limit of requests per second for each prefix. Default: none. */
    public S3SimBuilder throttle(ThrottleLimit throttle) {
        this.throttle = Optional.of(throttle);
        return this;
    }

    /**
     * Refuses the checksum headers of newer SDKs ({@code x-amz-checksum-…},
     * {@code x-amz-sdk-checksum-algorithm}), as older stores do. Default: they are accepted.
     */
    public S3SimBuilder refuseChecksums() {
        refusesChecksums = true;
        return this;
    }

    /** Serves HTTPS with this identity. Default: plain HTTP. */
    public S3SimBuilder tls(TlsIdentity tls) {
        this.tls = Optional.of(tls);
        return this;
    }

    /**
     * Starts the server.
     *
     * @throws IllegalArgumentException if an option is invalid
     * @throws java.io.UncheckedIOException if the port is taken
     */
    public S3Sim start() {
        if (bytes < 1 || connections < 1 || idle.isNegative() || idle.isZero()) {
            throw new IllegalArgumentException("Cannot start S3Sim with " + bytes + " bytes, " + connections
                    + " connections and an idle limit of " + idle + ". Give more than 0 of each.");
        }
        return new S3Sim(this);
    }

    Set<String> buckets() {
        return buckets;
    }

    int port() {
        return port;
    }

    long bytes() {
        return bytes;
    }

    int connections() {
        return connections;
    }

    Duration idle() {
        return idle;
    }

    Duration skew() {
        return skew;
    }

    String domain() {
        return domain;
    }

    long seed() {
        return seed;
    }

    LatencyProfile latency() {
        return latency;
    }

    WireFaultPlan faults() {
        return faults;
    }

    Optional<String> accessKeyId() {
        return accessKeyId;
    }

    Optional<String> region() {
        return region;
    }

    Optional<ThrottleLimit> throttle() {
        return throttle;
    }

    Optional<TlsIdentity> tls() {
        return tls;
    }

    boolean refusesChecksums() {
        return refusesChecksums;
    }
}
