package dev.blobshuffle.bench.cloud;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreAbsentException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.store.MeteredBlobStore;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store below a random prefix of the place that a user named. It counts the requests of all
 * clients that open it by {@link #uri}, and deletes everything below the prefix at the end.
 * Thread-safe.
 */
final class TrialStore implements AutoCloseable {
    static final String SCHEME = "trial";

    /** The beginning of the prefix's last part. */
    static final String NAME = "blobshuffle-check-";

    private static final List<String> CLOUDS = List.of("s3", "gs", "az");

    /** Open stores by name, because a client opens its store from its settings alone. */
    private static final Map<String, TrialStore> OPEN = new ConcurrentHashMap<>();

    private final String given;
    private final String name;
    private final Time time;
    private final ShuffleMetrics metrics;
    private final WriteGate gate = new WriteGate();

    private TrialStore(String given, Time time) {
        this.given = given;
        this.time = time;
        name = NAME + String.format(Locale.ROOT, "%016x", time.randomLong());
        metrics = new ShuffleMetrics(time);
    }

    /**
     * A store below a place. It sends no request.
     *
     * @param given URI of the place, as in {@code blobshuffle.store}
     * @throws InvalidSettingsException fatal: the URI names no bucket of an object store
     */
    static TrialStore below(String given, Time time) {
        StoreUri uri = StoreUri.parse(given);
        boolean hasContainer =
                !uri.scheme().equals("az") || !uri.path().replace("/", "").isEmpty();
        if (!CLOUDS.contains(uri.scheme()) || uri.authority().isEmpty() || !hasContainer) {
            throw new InvalidSettingsException(
                    "Cannot check this store: it is no bucket of an object store. Give for example"
                            + " s3://bucket/prefix?region=eu-central-1, gs://bucket/prefix or az://account/container/prefix.");
        }
        TrialStore store = new TrialStore(given, time);
        OPEN.put(store.name, store);
        return store;
    }

    static Optional<TrialStore> named(String name) {
        return Optional.ofNullable(OPEN.get(name));
    }

    /** The URI by which clients in this process open the store. */
    String uri() {
        return SCHEME + ":///" + name;
    }

    /** The URI of the store itself. */
    String target() {
        int query = given.indexOf('?');
        String place = query < 0 ? given : given.substring(0, query);
        String parameters = query < 0 ? "" : given.substring(query);
        return place + (place.endsWith("/") ? "" : "/") + name + parameters;
    }

    /** The store's location without options, for people. */
    String place() {
        String target = target();
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** The requests so far, including those of the clean-up. */
    ShuffleMetrics metrics() {
        return metrics;
    }

    /**
     * Opens the store for a client.
     *
     * @throws dev.blobshuffle.core.failure.ClosedException fatal: the store is being deleted
     */
    BlobStore open(StoreContext context) {
        gate.enter();
        try {
            RequestMeter counted = MeteredBlobStore.meter(metrics);
            RequestMeter both = request -> {
                counted.sent(request);
                context.meter().sent(request);
            };
            BlobStore opened = BlobStores.openUnchecked(target(), new StoreContext(time, both, context.whenAbsent()));
            return new GatedBlobStore(new MeteredBlobStore(opened, metrics, time), gate);
        } finally {
            gate.leave();
        }
    }

    /**
     * Refuses further writes, waits for running writes, and deletes everything below the prefix.
     *
     * @return the number of deleted objects
     * @throws dev.blobshuffle.core.failure.BlobShuffleException fatal: something may be left
     */
    int erase() {
        gate.close();
        StoreContext context = new StoreContext(time, MeteredBlobStore.meter(metrics), WhenAbsent.FAIL);
        if (StoreUri.parse(given).scheme().equals("s3")) {
            try (NamedBlobs place = BlobStores.openNamed(given, context)) {
                return eraseNamed(place);
            }
        }
        try (BlobStore store = BlobStores.openUnchecked(target(), context)) {
            if (store instanceof BucketBlobStore bucket) {
                return bucket.erase();
            }
            throw new StoreRefusedException("Cannot delete what was written to " + store.location()
                    + ": this kind of store cannot be erased. Delete everything below it.");
        } catch (StoreAbsentException e) {
            return 0;
        }
    }

    private int eraseNamed(NamedBlobs place) {
        List<String> names = names(place);
        place.delete(names);
        List<String> left = names(place);
        if (!left.isEmpty()) {
            throw new StoreRefusedException("Cannot delete what was written to " + place.location() + ": " + left.size()
                    + " keys are still listed. Delete everything below " + name + ".");
        }
        return names.size();
    }

    /** The names to delete. The marker is last, so that it stays as long as a store is there. */
    private List<String> names(NamedBlobs place) {
        String marker = name + "/" + StoreMarker.NAME;
        List<String> names = new ArrayList<>();
        place.list(name + "/").forEach(entry -> names.add(entry.name()));
        if (names.remove(marker)) {
            names.add(marker);
        }
        return names;
    }

    /** Forgets the store; {@link #erase} deletes it. */
    @Override
    public void close() {
        OPEN.remove(name);
    }
}
