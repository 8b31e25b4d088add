package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.BlobListing;
import dev.blobshuffle.core.internal.retention.StopSignal;
import dev.blobshuffle.core.internal.retention.Sweep;
import dev.blobshuffle.core.internal.retention.SweepPace;
import dev.blobshuffle.core.internal.retention.SweepReport;
import dev.blobshuffle.core.internal.retention.SweepScope;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the store's times cost a sweep of a bucket, in requests. */
class SweepRequestsTest {
    private static final int BLOBS = 20;
    private static final BlobLifetime NO_FLOOR = new BlobLifetime(Optional.empty(), Duration.ZERO);
    private static final BlobLifetime SIX_HOURS = new BlobLifetime(Optional.empty(), Duration.ofHours(6));

    private final SystemTime time = new SystemTime();
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private BucketBlobStore store;

    @BeforeEach
    void storeBlobs() {
        store = BucketBlobStore.open(new HeapBucket(), new KeyPrefix(""), new StoreContext(time, requests::add));
        for (int sequence = 0; sequence < BLOBS; sequence++) {
            store.put(new BlobId(29_700_000, 7, sequence), BlobContent.of(new byte[] {1}))
                    .toCompletableFuture()
                    .join();
        }
        StoreClock ignored = new StoreConditions(store, time).require(); // Writes the register for the first time.
        requests.clear();
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    private int count(Request request) {
        return Collections.frequency(List.copyOf(requests), request);
    }

    private Sweep sweep() {
        return new Sweep(
                store,
                SweepScope.everything(Set.of()),
                new SweepPace(1_000_000, 1 << 20, 1000, 1000),
                new StopSignal(time));
    }

    /** A GET, two PUTs, and one GET more for the time. */
    @Test
    void theStoresTimeTakesOneRequestInEachSweep() {
        StoreConditions conditions = new StoreConditions(store, time);
        StoreClock clock = conditions.require();
        assertThat(requests).containsExactly(Request.GET, Request.PUT, Request.PUT, Request.GET);
        assertThat(conditions.require()).isSameAs(clock);
        assertThat(requests).hasSize(4);
    }

    @Test
    void aListingTakesNoRequestForTimesAndYoungBlobsTakeNoneForTheirFooters() throws Exception {
        StoreClock clock = new StoreConditions(store, time).require();
        requests.clear();
        BlobListing listing = sweep().list(0, Optional.empty(), SIX_HOURS, clock);
        assertThat(count(Request.LIST)).isBetween(2 * BlobKey.SHARDS, 2 * BlobKey.SHARDS + 2 * BLOBS / HeapBucket.PAGE);
        assertThat(count(Request.HEAD)).as("a sample of lengths").isEqualTo(BLOBS);
        assertThat(requests).hasSize(count(Request.LIST) + BLOBS);

        requests.clear();
        SweepReport report = sweep().byHorizon(listing);
        assertThat(report.spared()).isEqualTo(BLOBS);
        assertThat(requests).isEmpty();
    }

    @Test
    void oldBlobsTakeTwoRequestsForTheirFootersAsBefore() throws Exception {
        BlobListing listing = sweep().list(0, Optional.empty(), NO_FLOOR, new StoreConditions(store, time).require());
        requests.clear();
        assertThat(sweep().byHorizon(listing).damaged()).isEqualTo(BLOBS);
        assertThat(count(Request.HEAD))
                .as("the meter does not count gets of blobs")
                .isEqualTo(BLOBS);
        assertThat(requests).hasSize(BLOBS);
    }
}
