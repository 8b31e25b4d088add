package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobMissing;
import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.internal.store.BlobStores;
import dev.blobshuffle.core.internal.store.StoreTasks;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoredBlob;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * A store in a bucket of Amazon S3, or of a service with the same protocol. A blob is one object.
 * One request stores it, never in parts, because each part is billed. A read is one request for a
 * range. A call is one attempt: the SDK's retries are off, and decorators retry.
 *
 * <p>Writes, reads, and requests for keys (deletes, listings) have separate threads and
 * connections. They thus never wait for each other, and no request waits for a connection. The
 * store releases the bytes of a blob when the attempt has ended; no client reads them after that
 * ({@code UploadAttempt}). Thread-safe.
 */
public final class S3BlobStore implements BlobStore {
    /** Threads and connections for deletes and listings. */
    private static final int KEY_THREADS = 4;

    private final S3Settings settings;
    private final S3Objects objects;
    private final S3Failures failures;
    private final StoreContext context;
    private final RequestMeter meter;
    private final int fingerprint;
    private final StoreTasks writes;
    private final StoreTasks reads;
    private final StoreTasks keys;
    private volatile boolean isClosed;

    private S3BlobStore(S3Settings settings, S3Objects objects, String id, StoreContext context) {
        this.settings = settings;
        this.objects = objects;
        failures = objects.failures();
        this.context = context;
        meter = context.meter();
        fingerprint = BlobStores.fingerprint(id);
        int writers = Math.max(1, (settings.connections() - KEY_THREADS) / 3);
        int readers = settings.connections() - KEY_THREADS - writers;
        writes = new StoreTasks(context.time().workers("blobshuffle-s3-write", writers), location());
        reads = new StoreTasks(context.time().workers("blobshuffle-s3-read", readers), location());
        keys = new StoreTasks(context.time().workers("blobshuffle-s3-keys", KEY_THREADS), location());
    }

    /**
     * A builder of a store in a bucket, for options that a URI cannot express, such as your own
     * client.
     */
    public static S3BlobStoreBuilder builder(String bucket) {
        return new S3BlobStoreBuilder(bucket);
    }

    static S3BlobStore open(
            S3Settings settings, Optional<Duration> callTimeout, S3Requests requests, StoreContext context) {
        settings.warnIfExposed();
        S3Objects objects = new S3Objects(settings, callTimeout, requests, new S3Failures(settings.location()));
        try {
            String id = new S3Marker(settings, objects, context).agree();
            return new S3BlobStore(settings, objects, id, context);
        } catch (RuntimeException | Error e) {
            requests.close();
            throw e;
        }
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        UploadAttempt attempt = new UploadAttempt(content);
        String what = "store blob " + id;
        return writes.run(what, () -> ask(what, () -> write(id, attempt)), attempt::close);
    }

    private Void write(BlobId id, UploadAttempt attempt) {
        objects.requests().put(objects.put(settings.prefix().key(id), attempt).build(), attempt);
        return nothing();
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        String what = "read blob " + id;
        return reads.run(what, () -> ask(what, () -> read(id, range)));
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        String what = "measure blob " + id;
        return reads.run(what, () -> ask(what, () -> measure(id)));
    }

    private Long measure(BlobId id) {
        meter.sent(Request.HEAD);
        try {
            return objects.requests()
                    .head(objects.head(settings.prefix().key(id)))
                    .contentLength();
        } catch (AwsServiceException e) {
            if (e.statusCode() == 404) {
                throw new BlobMissing(
                        "Cannot measure blob " + id + ": it is not in " + location() + ". Check bucket and prefix.", e);
            }
            throw e;
        }
    }

    private BlobBytes read(BlobId id, BlobRange range) {
        if (range.length() > Integer.MAX_VALUE - 8) {
            throw range.outside(id, Integer.MAX_VALUE - 8, location());
        }
        String key = settings.prefix().key(id);
        ReadPart part;
        try {
            part = objects.requests().get(objects.get(key, range.offset(), range.length()), (int) range.length());
        } catch (AwsServiceException e) {
            throw unreadable(id, range, e);
        }
        if (part.length() == range.length() && part.offset() == range.offset()) {
            return BlobBytes.of(ByteBuffer.wrap(part.bytes(), 0, part.length()));
        }
        throw cutOff(id, range, "sent " + part.length() + " bytes from " + part.offset());
    }

    private RuntimeException unreadable(BlobId id, BlobRange range, AwsServiceException e) {
        if (S3Failures.code(e).equals("NoSuchKey")) {
            return new BlobMissing(
                    "Cannot read blob " + id + ": it is not in " + location()
                            + ". Check that writers and readers use the same bucket and prefix, and that blobs are kept for long enough.",
                    e);
        }
        return e.statusCode() == 416 ? cutOff(id, range, "refused the range") : e;
    }

    /**
     * The failure of a read that got too few bytes. They mean damage only if the blob itself is too
     * short; otherwise the answer was cut off.
     */
    private BlobShuffleException cutOff(BlobId id, BlobRange range, String observed) {
        meter.sent(Request.HEAD);
        Long length =
                objects.requests().head(objects.head(settings.prefix().key(id))).contentLength();
        if (length != null && length < range.end()) {
            return range.outside(id, length, location());
        }
        return new StoreUnavailable("Cannot read blob " + id + ": " + location() + " " + observed + " of bytes ["
                + range.offset() + ", " + range.end() + "), although the blob has " + length
                + ". Check the network to the store.");
    }

    @Override
    public Optional<Registers> registers() {
        return Optional.of(new S3Registers(settings, objects, meter, new S3Registers.Runner() {
            @Override
            public <T> CompletionStage<T> run(String what, Supplier<T> request) {
                return keys.run(what, () -> ask(what, request));
            }
        }));
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        List<String> all = ids.stream().map(settings.prefix()::key).toList();
        String what = "delete " + all.size() + " blobs";
        return keys.run(
                what,
                () -> ask(what, () -> {
                    objects.deleteAll(what, all, meter);
                    return nothing();
                }));
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        String what = "list generation " + generation;
        return inEachShard(what, shard -> {
            List<StoredBlob> found = new ArrayList<>();
            objects.forEachPage(
                    objects.list(settings.prefix().generation(owner, shard, generation)),
                    meter,
                    page -> page.contents().forEach(object -> blob(object).ifPresent(found::add)));
            return found;
        });
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        return inEachShard("list generations from " + generations.first(), shard -> {
            List<StoredBlob> found = new ArrayList<>();
            objects.forEachPage(
                    objects.list(settings.prefix().span(owner, shard, generations)),
                    meter,
                    page -> page.contents()
                            .forEach(object -> blob(object)
                                    .filter(blob ->
                                            generations.contains(blob.id().generation()))
                                    .ifPresent(found::add)));
            return found;
        });
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return inEachShard("list generations", shard -> {
                    List<Long> found = new ArrayList<>();
                    objects.forEachPage(
                            objects.list(settings.prefix().shard(owner, shard)).delimiter("/"),
                            meter,
                            page -> page.commonPrefixes()
                                    .forEach(start -> settings.prefix()
                                            .parseGeneration(start.prefix())
                                            .ifPresent(found::add)));
                    return found;
                })
                .thenApply(found -> List.copyOf(new TreeSet<>(found)));
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        String what = "list owners";
        return keys.run(
                what,
                () -> ask(what, () -> {
                    Set<Integer> found = new TreeSet<>();
                    objects.forEachPage(
                            objects.list(settings.prefix().blobs()).delimiter("/"),
                            meter,
                            page -> page.commonPrefixes()
                                    .forEach(start -> settings.prefix()
                                            .parseOwner(start.prefix())
                                            .ifPresent(found::add)));
                    return List.copyOf(found);
                }));
    }

    @Override
    public Optional<StoreInspection> inspect() {
        return Optional.of(new S3Inspection(settings, objects, context).inspect());
    }

    private Optional<StoredBlob> blob(S3Object object) {
        return settings.prefix().blob(object.key()).map(id -> new StoredBlob(id, stored(object)));
    }

    private Instant stored(S3Object object) {
        Instant stored = object.lastModified();
        if (stored == null) {
            throw new StoreRefused("Cannot list blobs of " + location()
                    + ": it sends no LastModified, so their age is unknown. Use a store that does.");
        }
        return stored;
    }

    private interface ShardListing<T> {
        List<T> of(int shard);
    }

    /** Runs a listing in every shard, since keys are spread over shards. */
    private <T> CompletionStage<List<T>> inEachShard(String what, ShardListing<T> listing) {
        List<CompletableFuture<List<T>>> shards = IntStream.range(0, BlobKey.SHARDS)
                .mapToObj(shard ->
                        keys.run(what, () -> ask(what, () -> listing.of(shard))).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(shards.toArray(CompletableFuture[]::new))
                .thenApply(nothing ->
                        shards.stream().flatMap(shard -> shard.join().stream()).toList());
    }

    /** Sends a request and translates its failure. */
    private <T> T ask(String what, Supplier<T> request) {
        // A previous call that timed out may have left the thread's interrupt flag set, which would
        // end this call at once.
        Thread.interrupted();
        try {
            return request.get();
        } catch (BlobShuffleException e) {
            throw e;
        } catch (RuntimeException e) {
            throw isClosed ? failures.closed(what, e) : failures.of(what, e);
        }
    }

    @Override
    public int fingerprint() {
        return fingerprint;
    }

    @Override
    public String location() {
        return settings.location();
    }

    /**
     * Closes the store. Waiting and running requests fail with {@code Closed}. The user's own
     * client stays open and finishes its running requests. Idempotent.
     */
    @Override
    public void close() {
        isClosed = true;
        writes.close();
        reads.close();
        keys.close();
        objects.requests().close();
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    private static Void nothing() {
        return null;
    }
}
