package dev.blobshuffle.peer.internal;

import dev.blobshuffle.core.internal.cache.CacheOptions;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenWriting;
import dev.blobshuffle.core.internal.cache.CacheUnit;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.internal.membership.PeerTransport;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.peer.internal.settings.PeerOptions;
import dev.blobshuffle.peer.internal.trust.PeerTls;
import dev.blobshuffle.peer.internal.trust.PeerTrust;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Members of one zone over one store, connected by sockets of this machine. */
public final class ZoneFixture implements AutoCloseable {
    static final Zone ZONE = new Zone("a");
    static final int SECTION = 300_000;
    public static final PeerSecret SECRET = secret("known to all members");

    /** Patient: no connection is closed because the machine takes long over handshakes. */
    static final PeerOptions.Limits LIMITS = new PeerOptions.Limits(1024, 256, 128, Duration.ofMinutes(1));

    private final LoanCheck loans;
    private final SystemTime time = new SystemTime();
    private final ShuffleMetrics origins = new ShuffleMetrics();
    private final MemoryBlobStore origin = new MemoryBlobStore("zone", 256 << 20);
    private UnaryOperator<BlobStore> path = store -> store;
    private final List<Instance> instances = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final List<Path> disks = new ArrayList<>();
    private long memory = 100L * SECTION;

    ZoneFixture(LoanCheck loans) {
        this.loans = loans;
    }

    /** A member that serves its caches. */
    final class Instance {
        final long id;
        final ShuffleMetrics metrics = new ShuffleMetrics();
        final HttpPeerNetwork network;
        final CachedBlobStore local;
        final Endpoint endpoint;

        Instance(long id, PeerOptions options) {
            this.id = id;
            BlobStore lent =
                    new ForwardingBlobStore(path.apply(new MeteredBlobStore(loans.watch(origin), origins, time))) {
                        @Override
                        public void close() {}
                    };
            CacheOptions caching =
                    new CacheOptions(ZONE, memory, List.copyOf(disks), 1 << 30, CacheUnit.SECTION, WhenWriting.KEEP);
            local = Caches.before(lent, caching, metrics, time);
            network = new HttpPeerNetwork(options, metrics, time);
            endpoint = network.serve(local).orElseThrow();
        }

        /** The store as the instance reads it, with the members known now. */
        ZoneCachedBlobStore zoned() {
            return new ZoneCachedBlobStore(local, ZONE, id, new FixedZoneMap(members), network.client(), time, metrics);
        }

        /** The same, but what others send is kept. */
        ZoneCachedBlobStore keeping() {
            return new ZoneCachedBlobStore(
                    local,
                    ZONE,
                    id,
                    new FixedZoneMap(members),
                    network.client(),
                    time,
                    metrics,
                    CacheOptions.WhenReceiving.KEEP);
        }

        void stop() {
            network.close();
            local.close();
        }
    }

    public static PeerSecret secret(String text) {
        return new PeerSecret(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Patient: nobody is given up because the machine is busy. */
    static PeerOptions options(PeerSecret secret) {
        return options(Optional.of(secret), Optional.empty(), LIMITS);
    }

    /** The same in another zone. */
    static PeerOptions patient(Zone zone) {
        PeerOptions own = options(SECRET);
        return new PeerOptions(zone, own.listen(), own.advertised(), own.trust(), own.silence(), own.limits());
    }

    /** As in production. */
    static PeerOptions impatient() {
        return options(Optional.of(SECRET), Optional.empty(), PeerOptions.Limits.USUAL, Duration.ofMillis(500));
    }

    static PeerOptions options(Optional<PeerSecret> secret, Optional<PeerTls> tls, PeerOptions.Limits limits) {
        return options(secret, tls, limits, Duration.ofSeconds(20));
    }

    private static PeerOptions options(
            Optional<PeerSecret> secret, Optional<PeerTls> tls, PeerOptions.Limits limits, Duration silence) {
        return new PeerOptions(
                ZONE,
                Optional.of(new Endpoint("127.0.0.1", 0)),
                Optional.empty(),
                new PeerTrust(secret.map(PeerSecrets::of), tls, PeerTransport.AUTO),
                silence,
                limits);
    }

    /** What the members, from now on, find between them and the store. */
    void between(UnaryOperator<BlobStore> decorator) {
        path = decorator;
    }

    void memory(long bytes) {
        memory = bytes;
    }

    void disk(Path directory) {
        disks.clear();
        disks.add(directory);
    }

    SystemTime time() {
        return time;
    }

    MemoryBlobStore origin() {
        return origin;
    }

    Instance start() {
        return start(options(SECRET));
    }

    Instance start(PeerOptions options) {
        Instance instance = new Instance(instances.size() + 1, options);
        instances.add(instance);
        join(instance.endpoint, instance.id);
        return instance;
    }

    /** Adds somebody to the members. */
    void join(Endpoint endpoint, long id) {
        members.add(new Member(id, endpoint, ZONE, Set.of(), 1));
    }

    List<Member> members() {
        return members;
    }

    long gets() {
        return origins.value(Counter.GETS);
    }

    static BlobId id(int number) {
        return new BlobId(29_700_000, 0x7777, number);
    }

    static byte[] blob(int number) {
        byte[] bytes = new byte[SECTION];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    void put(int number) throws Exception {
        TrackedContent content = loans.content(blob(number));
        CompletableFuture<Void> put = origin.put(id(number), content).toCompletableFuture();
        content.release();
        put.get(60, TimeUnit.SECONDS);
    }

    static BlobRange range(int offset, int length) {
        return new BlobRange(0, SECTION, offset, length);
    }

    static byte[] expected(int number, BlobRange range) {
        return Arrays.copyOfRange(blob(number), (int) range.offset(), (int) range.end());
    }

    static byte[] read(BlobStore store, int number, BlobRange range) throws Exception {
        return bytes(store.get(id(number), range).toCompletableFuture().get(60, TimeUnit.SECONDS));
    }

    static byte[] bytes(BlobBytes loan) {
        try (loan) {
            byte[] bytes = new byte[loan.buffer().remaining()];
            loan.buffer().get(bytes);
            return bytes;
        }
    }

    @Override
    public void close() {
        instances.forEach(Instance::stop);
        origin.close();
        time.close();
    }
}
