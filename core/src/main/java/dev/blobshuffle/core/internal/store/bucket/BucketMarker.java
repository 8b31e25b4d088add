package dev.blobshuffle.core.internal.store.bucket;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.time.Signal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds or creates the id of the store below a prefix of a bucket, in the object
 * {@link StoreMarker}. These are the first requests of a store, so they check credentials, bucket
 * and network. No decorator repeats them yet, so this class does. Owned by the thread that opens
 * the store.
 */
final class BucketMarker {
    /** The most attempts, because a service may throttle these first requests too. */
    private static final int ATTEMPTS = 5;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    /** Upper bound of a marker's length, bytes. */
    private static final int LENGTH = 1024;

    private final Bucket bucket;
    private final KeyPrefix prefix;
    private final StoreContext context;
    private final String where;

    BucketMarker(Bucket bucket, KeyPrefix prefix, StoreContext context) {
        this.bucket = bucket;
        this.prefix = prefix;
        this.context = context;
        where = bucket.location() + "/" + prefix.marker();
    }

    /**
     * The store's id; a new id if there is none yet. If several processes start at once, one of
     * them sets the id. Blocks.
     *
     * @throws StoreRefusedException fatal: the bucket refuses access
     * @throws StoreUnavailableException recoverable: the bucket does not answer
     */
    String agree() {
        String offered = StoreMarker.newId(context.time());
        for (int attempt = 1; ; attempt++) {
            try {
                Optional<String> found = findOrOffer(offered);
                if (found.isPresent()) {
                    return found.get();
                }
            } catch (StoreRefusedException e) {
                throw e;
            } catch (StoreUnavailableException e) {
                if (attempt >= ATTEMPTS) {
                    throw e;
                }
                pause(FIRST_PAUSE.multipliedBy(1L << (attempt - 1)), e);
            }
            if (attempt > 2 * ATTEMPTS) {
                throw new StoreUnavailableException(
                        "Cannot open store: " + where
                                + " neither exists nor can be written. Check that the store shows what was written and supports conditional writes, and whether another process deletes this object.");
            }
        }
    }

    /** The id in the marker; empty after this process has offered one, which it then reads. */
    private Optional<String> findOrOffer(String offered) {
        requireOutside();
        context.meter().sent(Request.GET);
        Optional<ByteBuffer> found = bucket.get(prefix.marker(), 0, LENGTH);
        if (found.isPresent()) {
            String content = StandardCharsets.UTF_8.decode(found.get()).toString();
            return Optional.of(StoreMarker.id(content, where));
        }
        if (context.whenAbsent() == WhenAbsent.FAIL) {
            throw StoreMarker.absent(where);
        }
        for (String directory : BucketBlobStore.pages(bucket, bucket::directories, prefix.blobs(), context.meter())) {
            prefix.requireOwn(directory, bucket.location());
        }
        context.meter().sent(Request.PUT);
        boolean ignored =
                bucket.putIfAbsent(prefix.marker(), StoreMarker.content(offered).getBytes(StandardCharsets.UTF_8));
        return Optional.empty();
    }

    /** Refuses a prefix among the blobs of another store. */
    private void requireOutside() {
        for (String marker : prefix.outerMarkers()) {
            if (exists(marker)) {
                throw prefix.inside(bucket.location() + "/" + marker);
            }
        }
    }

    /**
     * Whether a marker exists. A role that is limited to its own prefix cannot see the marker of an
     * outer store.
     */
    private boolean exists(String marker) {
        context.meter().sent(Request.HEAD);
        try {
            return bucket.length(marker).isPresent();
        } catch (StoreRefusedException e) {
            return false; // If all requests are refused, the next one reports it.
        }
    }

    private void pause(Duration pause, StoreUnavailableException reason) {
        Signal never = context.time().signal();
        try {
            never.await(never.count(), context.time().nanos() + pause.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw reason;
        }
    }
}
