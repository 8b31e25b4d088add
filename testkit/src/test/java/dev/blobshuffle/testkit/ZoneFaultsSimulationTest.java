package dev.blobshuffle.testkit;

import static dev.blobshuffle.testkit.CacheFixture.SECTION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.cache.CacheOptions.WhenReceiving;
import dev.blobshuffle.core.internal.cache.CachedBlobStore;
import dev.blobshuffle.core.internal.cache.Caches;
import dev.blobshuffle.core.internal.cache.PeerClient;
import dev.blobshuffle.core.internal.cache.ZoneCachedBlobStore;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.ZoneMap;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.SlowBlobStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Members of a zone that each know what a seed lets them know, and it changes all the time: nobody,
 * themselves alone, some who are gone, the same one twice, old views and new ones at once, in the
 * middle of downloads. Whoever is asked answers, late, wrongly, or not. Every read must end in
 * bounded time with what the store holds, after one repetition at most, and every byte must come
 * back. {@code -Dzones.seeds=N}.
 */
class ZoneFaultsSimulationTest {
    private static final int SEEDS = Integer.getInteger("zones.seeds", 60);
    private static final int STEPS = 80;
    private static final int BLOBS = 6;
    private static final int MEMBERS = 4;
    private static final Duration SILENCE = Duration.ofMillis(500);
    private static final Duration DOWNLOAD = Duration.ofMillis(80);

    /** The longest way: a member that was asked hangs, and then the store. */
    private static final Duration LONGEST_READ = SILENCE.plus(DOWNLOAD.multipliedBy(3));

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @Test
    void whateverMembersKnowAndDoEveryReadEndsWithWhatTheStoreHolds() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            try (Run run = new Run(seed)) {
                run.run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private record Read(BlobStore store, int blob, BlobRange range, long begin, CompletableFuture<BlobBytes> result) {}

    /** What one member knows at the moment. */
    private static final class View implements ZoneMap {
        private ZoneMap now = new FixedZoneMap(List.of());

        @Override
        public List<Member> members() {
            return now.members();
        }

        @Override
        public List<Member> members(Zone zone) {
            return now.members(zone);
        }

        @Override
        public Optional<Zone> zoneOf(Partition partition) {
            return now.zoneOf(partition);
        }
    }

    private final class Run implements AutoCloseable {
        private final Random random;
        private final SimulatedTime time;
        private final MemoryBlobStore origin = new MemoryBlobStore("zone", 10 << 20);
        private final BlobStore slow;
        private final Map<Long, CachedBlobStore> locals = new HashMap<>();
        private final List<View> views = new ArrayList<>();
        private final List<ZoneCachedBlobStore> stores = new ArrayList<>();
        private final List<Read> reads = new ArrayList<>();

        Run(int seed) throws Exception {
            random = new Random(seed);
            time = new SimulatedTime(seed);
            slow = new SlowBlobStore(loans.watch(origin), LatencyProfile.constant(Duration.ZERO, DOWNLOAD), time);
            for (int i = 0; i < BLOBS; i++) {
                CacheFixture.put(origin, loans, i);
            }
            for (int id = 1; id <= MEMBERS; id++) {
                open(id);
            }
        }

        private void open(long id) {
            BlobStore lent = new ForwardingBlobStore(slow) {
                @Override
                public void close() {}
            };
            // Room for half of what there is: everything is evicted, and sometimes all of it is in
            // use.
            CachedBlobStore local = Caches.before(lent, CacheFixture.memory(3L * SECTION), new ShuffleMetrics(), time);
            PeerClient client = new PeerClient() {
                @Override
                public CompletionStage<BlobBytes> get(Member member, BlobId blob, BlobRange range) {
                    return ask(member, blob, range);
                }

                @Override
                public void close() {}
            };
            View view = new View();
            WhenReceiving receiving = random.nextBoolean() ? WhenReceiving.KEEP : WhenReceiving.FORGET;
            locals.put(id, local);
            views.add(view);
            stores.add(new ZoneCachedBlobStore(
                    local, CacheFixture.A, id, view, client, time, new ShuffleMetrics(), receiving));
        }

        /** What a client of peers promises: an end within the silence that it bears. */
        private CompletionStage<BlobBytes> ask(Member member, BlobId blob, BlobRange range) {
            CachedBlobStore asked = locals.get(member.id());
            int behaviour = random.nextInt(10);
            if (asked == null || behaviour == 0) {
                return CompletableFuture.failedFuture(new StoreUnavailableException("It is gone."));
            }
            if (behaviour == 1) {
                CompletableFuture<BlobBytes> hanging = new CompletableFuture<>();
                time.schedule(
                        SILENCE, () -> hanging.completeExceptionally(new StoreUnavailableException("It is silent.")));
                return hanging;
            }
            if (behaviour <= 3) {
                byte[] garbage = new byte[(int) range.length() - (behaviour == 2 ? 1 : 0)];
                return CompletableFuture.completedFuture(BlobBytes.of(ByteBuffer.wrap(garbage)));
            }
            return asked.get(blob, range);
        }

        void run() throws Exception {
            for (int step = 0; step < STEPS; step++) {
                int action = random.nextInt(4);
                if (action == 0) {
                    changeView();
                } else if (action == 1) {
                    time.settle(Duration.ofMillis(random.nextInt(150)));
                } else {
                    read();
                }
                end(false);
            }
            time.settle(LONGEST_READ.multipliedBy(2));
            end(true);
            assertThat(reads).isEmpty();
        }

        /**
         * Somebody hears something, true or not: members that do not exist, one under another's id,
         * in another zone, or nobody at all.
         */
        private void changeView() {
            List<Member> heard = new ArrayList<>();
            for (long id = 1; id <= MEMBERS + 1; id++) {
                if (random.nextInt(3) > 0) {
                    Zone zone = random.nextInt(5) == 0 ? CacheFixture.B : CacheFixture.A;
                    long host = random.nextInt(4) == 0 ? 1 : id;
                    heard.add(new Member(id, new Endpoint("host-" + host, 7400), zone, Set.of(), 1));
                }
            }
            views.get(random.nextInt(MEMBERS)).now = new FixedZoneMap(heard);
        }

        private void read() {
            int offset = random.nextInt(SECTION);
            BlobRange range = CacheFixture.range(random.nextInt(2), offset, 1 + random.nextInt(SECTION - offset));
            BlobStore store = stores.get(random.nextInt(MEMBERS));
            int blob = random.nextInt(BLOBS);
            reads.add(new Read(
                    store,
                    blob,
                    range,
                    time.nanos(),
                    store.get(CacheFixture.id(blob), range).toCompletableFuture()));
        }

        /** Takes what has come, as a reader does whose checksums find what is wrong. */
        private void end(boolean isLast) throws Exception {
            for (Read read : List.copyOf(reads)) {
                Duration took = Duration.ofNanos(time.nanos() - read.begin());
                if (read.result().isDone()) {
                    reads.remove(read);
                    if (!isRight(read, CacheFixture.bytes(read.result().get()))) {
                        repeat(read);
                    }
                } else {
                    assertThat(took).as("time of a read").isLessThan(LONGEST_READ);
                    assertThat(isLast).isFalse();
                }
            }
        }

        private boolean isRight(Read read, byte[] bytes) {
            return Arrays.equals(bytes, CacheFixture.expected(read.blob(), read.range()));
        }

        private void repeat(Read read) throws Exception {
            CompletableFuture<BlobBytes> again = read.store()
                    .get(CacheFixture.id(read.blob()), read.range().afresh())
                    .toCompletableFuture();
            time.settle(DOWNLOAD.multipliedBy(2));
            assertThat(again).isDone();
            assertThat(isRight(read, CacheFixture.bytes(again.get()))).isTrue();
        }

        @Override
        public void close() {
            stores.forEach(BlobStore::close);
            time.close();
        }
    }
}
