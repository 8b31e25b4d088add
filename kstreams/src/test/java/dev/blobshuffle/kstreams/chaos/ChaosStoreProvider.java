package dev.blobshuffle.kstreams.chaos;

import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.store.FaultPlan.Request;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The store of a chaotic instance, {@code chaos:///dir}: files, with slow requests that fail on
 * command. Public for the service loader. Thread-safe.
 */
public final class ChaosStoreProvider implements BlobStoreProvider {
    /** How long a connection to an unreachable store is tried. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final AtomicInteger PUTS = new AtomicInteger();
    private static final AtomicInteger GETS = new AtomicInteger();
    private static final AtomicLong FAULTS = new AtomicLong();
    private static final AtomicLong DELETED = new AtomicLong();

    private static volatile ChaosFault.Store mood = ChaosFault.Store.HEALTHY;

    /** For the service loader. */
    public ChaosStoreProvider() {}

    static void become(ChaosFault.Store newMood) {
        mood = newMood;
    }

    static int putsInFlight() {
        return PUTS.get();
    }

    static int getsInFlight() {
        return GETS.get();
    }

    /** Failed requests of this process. */
    static long faults() {
        return FAULTS.get();
    }

    /** Blobs that this process has deleted. */
    static long deleted() {
        return DELETED.get();
    }

    @Override
    public String scheme() {
        return "chaos";
    }

    @Override
    public BlobStore open(StoreUri uri, StoreContext context) {
        Time time = context.time();
        BlobStore files = BlobStores.open("file://" + uri.path() + "?fsync=none", context);
        return new Watched(new FaultyBlobStore(new Honest(files), time, request -> next(request, time)));
    }

    private static StoreFault next(Request request, Time time) {
        boolean isPut = request == Request.PUT;
        Duration usual = isPut ? between(time, 30, 120) : between(time, 5, 25);
        ChaosFault.Store now = mood;
        boolean isHit =
                (isPut || request == Request.GET) && Long.remainderUnsigned(time.randomLong(), 100) < share(now);
        if (!isHit || isPut && isOfReads(now)) {
            return new StoreFault(StoreFault.Kind.DELAY, usual);
        }
        FAULTS.incrementAndGet();
        return switch (now) {
            case REFUSE -> StoreFault.of(StoreFault.Kind.FAIL_BEFORE);
            case SLOW -> new StoreFault(StoreFault.Kind.DELAY, between(time, 1000, 3000));
            case FAIL_AFTER -> new StoreFault(StoreFault.Kind.FAIL_AFTER, usual);
            case UNHEARD -> new StoreFault(StoreFault.Kind.FAIL_BEFORE, SILENCE);
            case SILENT -> new StoreFault(StoreFault.Kind.FAIL_AFTER, SILENCE);
            case TRUNCATE -> new StoreFault(StoreFault.Kind.TRUNCATE, usual);
            case FLIP -> new StoreFault(StoreFault.Kind.FLIP, usual);
            case MISSING -> new StoreFault(StoreFault.Kind.MISSING, usual);
            case HEALTHY -> new StoreFault(StoreFault.Kind.DELAY, usual);
        };
    }

    private static boolean isOfReads(ChaosFault.Store mood) {
        return mood == ChaosFault.Store.TRUNCATE || mood == ChaosFault.Store.FLIP || mood == ChaosFault.Store.MISSING;
    }

    /** Percentage of affected requests: all if the engine can only wait, some if it must retry. */
    private static int share(ChaosFault.Store mood) {
        return switch (mood) {
            case HEALTHY -> 0;
            case REFUSE, SLOW, UNHEARD, SILENT -> 100;
            case FAIL_AFTER -> 50;
            case TRUNCATE, FLIP, MISSING -> 30;
        };
    }

    private static Duration between(Time time, int least, int most) {
        return Duration.ofMillis(least + Long.remainderUnsigned(time.randomLong(), most - least));
    }

    /** Counts the writes that really fail, because the disk is full. */
    private static final class Honest extends ForwardingBlobStore {
        Honest(BlobStore files) {
            super(files);
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            return store().put(id, content).whenComplete((nothing, failure) -> {
                if (failure != null) {
                    FAULTS.incrementAndGet();
                }
            });
        }
    }

    /** Counts requests in flight, and deletions. */
    private static final class Watched extends ForwardingBlobStore {
        Watched(BlobStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Void> delete(Collection<BlobId> ids) {
            DELETED.addAndGet(ids.size());
            return store().delete(ids);
        }

        @Override
        public CompletionStage<Void> put(BlobId id, BlobContent content) {
            PUTS.incrementAndGet();
            return store().put(id, content).whenComplete((nothing, failure) -> PUTS.decrementAndGet());
        }

        @Override
        public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
            GETS.incrementAndGet();
            return store().get(id, range).whenComplete((bytes, failure) -> GETS.decrementAndGet());
        }
    }
}
