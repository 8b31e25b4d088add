package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.claim.Pauses;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the store of an application, and claims it for the application ({@link OwnerWatch}). */
public final class StoreClaim {
    private static final Logger LOG = LoggerFactory.getLogger(StoreClaim.class);

    private StoreClaim() {}

    /**
     * Opens an application's store, and claims it in the background. Closing the store ends the
     * claim. A store that does not exist is created only if Kafka has no record of an earlier use
     * by the application.
     *
     * @throws StoreAbsentException fatal: the store does not exist, but the application has used it
     *     before
     */
    public static BlobStore open(String uri, StoreContext context, ClaimIdentity identity) {
        return open(uri, context, identity, OwnerTiming.USUAL);
    }

    static BlobStore open(String uri, StoreContext context, ClaimIdentity identity, OwnerTiming timing) {
        BlobStore store = openOrMake(uri, context, identity);
        return OwnerWatch.watched(store, new KafkaClaims(identity, context.time()), timing, context.time());
    }

    private static BlobStore openOrMake(String uri, StoreContext context, ClaimIdentity identity) {
        return openOrMake(
                () -> BlobStores.open(uri, context.existing()),
                () -> BlobStores.open(uri, context),
                absent -> remembers(identity, absent, context.time()),
                identity);
    }

    /**
     * Opens a store, or creates one that the application has never used. An instance writes to
     * Kafka only after its store exists. So if Kafka remembers a store that was absent a moment
     * ago, another instance may have just created it, and this method tries to open it again.
     */
    static BlobStore openOrMake(
            Supplier<BlobStore> existing,
            Supplier<BlobStore> made,
            Predicate<StoreAbsentException> remembers,
            ClaimIdentity identity) {
        try {
            return existing.get();
        } catch (StoreAbsentException absent) {
            if (!remembers.test(absent)) {
                return made.get();
            }
        }
        try {
            return existing.get();
        } catch (StoreAbsentException absent) {
            throw new StoreAbsentException(absent.getMessage() + " Application '" + identity.application()
                    + "' has used a store before (Kafka topic " + identity.topic()
                    + "), so this instance does not make another one.");
        }
    }

    /**
     * Whether Kafka remembers that the application has used a store. If the brokers do not answer,
     * retries for as long as any call of a Kafka client may take: an application whose store exists
     * waits for the brokers too.
     */
    private static boolean remembers(ClaimIdentity identity, StoreAbsentException absent, Time time) {
        return remembers(
                () -> new ClaimTopic(identity.topic(), identity, 0, time).remembersApplication(),
                identity,
                absent,
                time);
    }

    static boolean remembers(Memory memory, ClaimIdentity identity, StoreAbsentException absent, Time time) {
        Duration patience = identity.patience();
        long deadline = time.nanos() + patience.toNanos();
        Pauses pauses = Pauses.growing(time);
        try {
            for (int attempt = 1; ; attempt++) {
                try {
                    return memory.remembersApplication();
                } catch (KafkaException | IllegalStateException e) {
                    if (!isTemporary(e) || time.nanos() - deadline >= 0) {
                        throw unknown(identity, absent, e);
                    }
                    if (attempt == 1) {
                        LOG.warn(
                                "Application '{}' waits for Kafka. Its store is missing, and topic {} says whether it"
                                        + " has ever had one. {} It tries again for up to {} s (default.api.timeout.ms).",
                                identity.application(),
                                identity.topic(),
                                e.getMessage(),
                                patience.toSeconds());
                    }
                }
                pauses.pause(attempt);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("Cannot open a store: the thread was interrupted. Start again.", e);
        }
    }

    /** Looks up an earlier use in Kafka. */
    interface Memory {
        boolean remembersApplication() throws InterruptedException;
    }

    /** Whether the brokers may answer later; a scan without progress is an illegal state. */
    private static boolean isTemporary(RuntimeException e) {
        return e instanceof IllegalStateException
                || e instanceof RetriableException
                || e.getCause() instanceof RetriableException;
    }

    private static StoreAbsentException unknown(
            ClaimIdentity identity, StoreAbsentException absent, RuntimeException e) {
        StoreAbsentException failure = new StoreAbsentException(absent.getMessage()
                + " Whether application '" + identity.application()
                + "' has used a store before is unknown, because Kafka topic " + identity.topic()
                + " cannot be read: " + e.getMessage()
                + (ClaimTopic.isDenied(e) ? " To let the application read it, " + ClaimTopic.GRANT + "." : ""));
        failure.addSuppressed(e);
        return failure;
    }
}
