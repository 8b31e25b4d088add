package dev.blobshuffle.core.internal.store.opening;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.settings.InstalledProviders;
import dev.blobshuffle.core.internal.store.MemoryBlobStoreProvider;
import dev.blobshuffle.core.internal.store.StoreHalves;
import dev.blobshuffle.core.internal.store.directory.FileBlobStoreProvider;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.BlobStoreProvider;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreContext.WhenAbsent;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Opens stores by URI and checks that they can be used. Thread-safe. */
public final class BlobStores {
    /** The artifacts of known schemes, for the message if one is not on the class path. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "s3",
            "dev.blobshuffle:blobshuffle-s3",
            "gs",
            "dev.blobshuffle:blobshuffle-gcs",
            "az",
            "dev.blobshuffle:blobshuffle-azure");

    /** The schemes that connectors of Hadoop and Flink use for S3. */
    private static final Set<String> OTHER_NAMES_OF_S3 = Set.of("s3a", "s3n", "s3p");

    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private BlobStores() {}

    /**
     * Opens the store that a URI names, and checks that blobs can be written, read and deleted.
     * Blocks.
     *
     * @throws InvalidSettingsException fatal: the URI is wrong, or the artifact of its scheme is
     *     missing
     * @throws StoreUnavailableException recoverable: the store does not work now
     */
    public static BlobStore open(String uri, StoreContext context) {
        BlobStore store = openUnchecked(uri, context, WhenAbsent.CREATE);
        checkOrClose(store, context);
        return store;
    }

    /**
     * As {@link #open(String, StoreContext)}, but does not check that blobs can be written, read
     * and deleted. For tools that run these checks themselves. Blocks.
     *
     * @throws InvalidSettingsException fatal: the URI is wrong, or the artifact of its scheme is
     *     missing
     * @throws StoreUnavailableException recoverable: the store does not work now
     */
    public static BlobStore openUnchecked(String uri, StoreContext context) {
        return openUnchecked(uri, context, context.whenAbsent());
    }

    /** @param fastAbsent what to do if the fast half of a store of two speeds does not exist */
    private static BlobStore openUnchecked(String uri, StoreContext context, WhenAbsent fastAbsent) {
        if (TwoSpeedUri.isMeant(uri)) {
            return TwoSpeedOpening.open(TwoSpeedUri.parse(uri), context, fastAbsent);
        }
        StoreUri parsed = StoreUri.parse(uri);
        return openStore(provider(parsed), parsed, context);
    }

    /**
     * Checks the form of a store's URI. Opens nothing.
     *
     * @throws InvalidSettingsException fatal: the URI is malformed
     */
    public static void checkForm(String uri) {
        if (TwoSpeedUri.isMeant(uri)) {
            var ignored = TwoSpeedUri.parse(uri);
        } else {
            var ignored = StoreUri.parse(uri);
        }
    }

    /**
     * Opens the location that a URI names for blobs under names. Contacts no service.
     *
     * @throws InvalidSettingsException fatal: the URI is wrong, its store has no blobs under names,
     *     or the artifact of its scheme is missing
     */
    public static NamedBlobs openNamed(String uri, StoreContext context) {
        StoreUri parsed = StoreUri.parse(uri);
        return provider(parsed).openNamed(parsed, context);
    }

    /**
     * Checks that the class path has what a URI needs, and the names of its parameters. Contacts no
     * service.
     *
     * @throws InvalidSettingsException fatal: the URI is wrong, or the artifact of its scheme is
     *     missing
     */
    public static void requireKnown(String uri) {
        StoreUri parsed = StoreUri.parse(uri);
        parsed.requireKnown(provider(parsed).parameters());
    }

    private static BlobStoreProvider provider(StoreUri parsed) {
        List<String> schemes = new ArrayList<>();
        for (BlobStoreProvider provider : providers()) {
            schemes.add(provider.scheme() + "://");
            if (provider.scheme().equals(parsed.scheme())) {
                return provider;
            }
        }
        if (OTHER_NAMES_OF_S3.contains(parsed.scheme())) {
            throw new InvalidSettingsException("Cannot open store " + parsed.scheme()
                    + "://: only connectors of Hadoop and Flink know this scheme. Write s3://.");
        }
        throw new InvalidSettingsException("Cannot open store " + parsed.scheme() + "://: "
                + artifact(parsed.scheme())
                        .map(artifact -> InstalledProviders.missing(BlobStoreProvider.class, artifact))
                        .orElseGet(() -> "nothing on the class path knows this scheme. Use one of "
                                + String.join(", ", schemes) + "."));
    }

    /**
     * The artifact of a store, as {@code group:artifact}; empty if it is in
     * {@code blobshuffle-core}, or unknown.
     *
     * @param scheme the scheme of the store's URI
     */
    public static Optional<String> artifact(String scheme) {
        return Optional.ofNullable(ARTIFACTS.get(scheme));
    }

    /** As {@link #open(String, StoreContext)}, without counting requests. */
    public static BlobStore open(String uri, Time time) {
        return open(uri, StoreContext.unmetered(time));
    }

    private static BlobStore openStore(BlobStoreProvider provider, StoreUri uri, StoreContext context) {
        try {
            return provider.open(uri, context);
        } catch (StoreRefusedException e) {
            throw new InvalidSettingsException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The providers of all stores on the class path. */
    public static List<BlobStoreProvider> providers() {
        List<BlobStoreProvider> providers =
                new ArrayList<>(List.of(new FileBlobStoreProvider(), new MemoryBlobStoreProvider()));
        providers.addAll(InstalledProviders.of(BlobStoreProvider.class));
        return providers;
    }

    /**
     * Checks that a blob can be written, read and deleted, with a probe of a few bytes. Blocks for
     * up to 30 seconds.
     *
     * @throws InvalidSettingsException fatal: one of these operations was refused; the message says
     *     which
     * @throws StoreUnavailableException recoverable: one of these operations failed; the message
     *     says which
     */
    public static void check(BlobStore store, Time time) {
        BlobId id = new BlobId(time.wallMillis() / TimeUnit.MINUTES.toMillis(1), time.randomLong(), 0);
        byte[] probe = "BlobShuffle was here".getBytes(StandardCharsets.UTF_8);
        await(store, "write a probe to", store.put(id, BlobContent.of(probe)), time);
        try {
            requireSame(store, id, probe, time);
        } catch (StoreUnavailableException | InvalidSettingsException e) {
            try {
                await(
                        store,
                        "delete a probe from",
                        store.delete(List.of(id)),
                        time); // Otherwise each start would leave another probe.
            } catch (StoreUnavailableException | InvalidSettingsException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        await(store, "delete a probe from", store.delete(List.of(id)), time);
    }

    private static void requireSame(BlobStore store, BlobId id, byte[] probe, Time time) {
        try (BlobBytes bytes = await(store, "read a probe from", store.get(id, BlobRange.of(0, probe.length)), time)) {
            if (!bytes.buffer().equals(ByteBuffer.wrap(probe))) {
                throw new StoreUnavailableException("Cannot use store " + store.location()
                        + ": a probe came back with other bytes than were written. Check the store.");
            }
        }
    }

    private static void checkOrClose(BlobStore store, StoreContext context) {
        try {
            StoreHalves.of(store)
                    .ifPresentOrElse(
                            halves -> TwoSpeedOpening.check(halves, context), () -> check(store, context.time()));
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    private static <T> T await(BlobStore store, String what, CompletionStage<T> stage, Time time) {
        Signal signal = time.signal();
        CompletableFuture<T> result = new CompletableFuture<>();
        long seen = signal.count();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
            signal.raise();
        });
        String attempt = "Cannot " + what + " " + store.location() + ": ";
        try {
            if (!signal.await(seen, time.nanos() + PROBE_NANOS)) {
                throw new StoreUnavailableException(attempt + "no answer for 30 s. Check the store and the network.");
            }
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InvalidSettingsException invalid) {
                throw invalid;
            }
            if (e.getCause() instanceof StoreRefusedException refused) {
                throw new InvalidSettingsException(attempt + refused.getMessage(), refused);
            }
            if (e.getCause() instanceof BlobShuffleException failure) {
                throw new StoreUnavailableException(attempt + failure.getMessage(), failure);
            }
            throw new StoreUnavailableException(attempt + e.getCause() + ". Check the store.", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(attempt + "the thread was interrupted. Start again.", e);
        }
    }
}
