package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.failure.StoreAbsent;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.claim.ClaimWatch;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/** Opens the store of an application, and claims it for the application ({@link ClaimWatch}). */
public final class StoreClaim {
    private StoreClaim() {}

    /**
     * Opens an application's store, and claims it in the background. Closing the store ends the
     * claim. A store that is not there is made only if Kafka does not remember that the application
     * has used one.
     *
     * @throws StoreAbsent fatal: the store is not there, and the application has had one
     */
    public static BlobStore open(String uri, StoreContext context, ClaimIdentity identity) {
        return open(uri, context, identity, ClaimWatch.INTERVAL);
    }

    static BlobStore open(String uri, StoreContext context, ClaimIdentity identity, Duration interval) {
        BlobStore store = openOrMake(uri, context, identity);
        return ClaimWatch.claimed(store, new KafkaClaims(identity, context.time()), interval, context.time());
    }

    private static BlobStore openOrMake(String uri, StoreContext context, ClaimIdentity identity) {
        return openOrMake(
                () -> BlobStores.open(uri, context.existing()),
                () -> BlobStores.open(uri, context),
                absent -> remembers(identity, absent, context.time()),
                identity);
    }

    /**
     * Opens a store, or makes one that the application has never had. An instance writes to Kafka
     * after its store is there. So if Kafka remembers a store that was absent a moment ago, another
     * instance may have just made it, and this one looks again.
     */
    static BlobStore openOrMake(
            Supplier<BlobStore> existing,
            Supplier<BlobStore> made,
            Predicate<StoreAbsent> remembers,
            ClaimIdentity identity) {
        try {
            return existing.get();
        } catch (StoreAbsent absent) {
            if (!remembers.test(absent)) {
                return made.get();
            }
        }
        try {
            return existing.get();
        } catch (StoreAbsent absent) {
            throw new StoreAbsent(absent.getMessage() + " Application '" + identity.application()
                    + "' has used a store before (Kafka topic " + identity.topic()
                    + "), so this instance does not make another one.");
        }
    }

    private static boolean remembers(ClaimIdentity identity, StoreAbsent absent, Time time) {
        try {
            return new ClaimTopic(identity.topic(), identity, 0, time).remembersApplication();
        } catch (KafkaException | IllegalStateException e) {
            StoreAbsent failure = new StoreAbsent(absent.getMessage()
                    + " Whether application '" + identity.application()
                    + "' has used a store before is unknown, because Kafka topic " + identity.topic()
                    + " cannot be read: " + e.getMessage());
            failure.addSuppressed(e);
            throw failure;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailable("Cannot open a store: the thread was interrupted. Start again.", e);
        }
    }
}
