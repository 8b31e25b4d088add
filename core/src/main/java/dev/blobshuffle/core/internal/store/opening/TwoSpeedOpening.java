package dev.blobshuffle.core.internal.store.opening;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the two stores of a {@link TwoSpeedUri}. The durable one must work. The fast one may be
 * down, and is then opened later. An instance creates it if it does not exist, because nothing is
 * lost with it; a command that must not create a store goes on without it. Stateless.
 */
final class TwoSpeedOpening {
    private static final Logger LOG = LoggerFactory.getLogger(TwoSpeedOpening.class);

    private static final Duration OPEN_AGAIN = Duration.ofSeconds(5);

    private TwoSpeedOpening() {}

    /**
     * Opens both stores. Blocks.
     *
     * @param whenAbsent what to do if the fast store does not exist
     * @throws InvalidSettingsException fatal: a URI or its store is wrong
     * @throws StoreUnavailableException recoverable: the durable store does not work now
     */
    static BlobStore open(TwoSpeedUri uri, StoreContext context, WhenAbsent whenAbsent) {
        BlobStore durable = BlobStores.openUnchecked(uri.durable(), context);
        try {
            BlobStore fast = fast(uri.fast(), new StoreContext(context.time(), RequestMeter.NONE, whenAbsent));
            if (fast.fingerprint() == durable.fingerprint()) {
                fast.close();
                throw new InvalidSettingsException("Cannot open the fast store " + fast.location()
                        + ": it is the durable store " + durable.location()
                        + " under another name. Two copies in one store are lost together; name two stores.");
            }
            return new TwoSpeedBlobStore(
                    new StoreHalves(fast, durable, uri.announcing()), context.time(), new ShuffleMetrics());
        } catch (RuntimeException | Error e) {
            durable.close();
            throw e;
        }
    }

    private static BlobStore fast(String uri, StoreContext context) {
        try {
            return BlobStores.openUnchecked(uri, context);
        } catch (StoreUnavailableException | StoreAbsentException e) {
            return new LateBlobStore(
                    uri.replaceAll("\\?.*", ""),
                    () -> BlobStores.openUnchecked(uri, context),
                    OPEN_AGAIN,
                    e,
                    context.time());
        }
    }

    /**
     * Checks that blobs can be written, read and deleted in both stores. A fast store that does not
     * work now is left to itself. Blocks.
     *
     * @throws InvalidSettingsException fatal: an operation was refused
     * @throws StoreUnavailableException recoverable: an operation of the durable store failed
     */
    static void check(StoreHalves halves, StoreContext context) {
        BlobStores.check(halves.durable(), context.time());
        try {
            BlobStores.check(halves.fast(), context.time());
        } catch (StoreUnavailableException e) {
            LOG.warn(
                    "Starting without the fast store; records are announced when {} has them. {}",
                    halves.durable().location(),
                    e.getMessage());
        }
    }
}
