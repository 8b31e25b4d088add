package dev.blobshuffle.core.internal.store.bucket;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.concurrent.FutureGroup;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.StoreFingerprint;
import dev.blobshuffle.core.internal.store.StoreMarker;
import dev.blobshuffle.core.internal.store.StoreTasks;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store in a bucket of an object store, below a prefix. A marker object with the store's id
 * identifies the store; a conditional write creates the marker once. The same bucket under another
 * name or endpoint is therefore the same store. A bucket that was emptied or created again is
 * another store.
 *
 * <p>Writes, reads and other requests have separate threads, so that none waits behind the others.
 * The number of threads bounds the requests in flight and the connections. Before a read fails
 * because its blob is gone or damaged, the store confirms the bucket's answer, because both
 * failures end the reader's task. Thread-safe.
 */
public final class BucketBlobStore implements BlobStore {
    private final Bucket bucket;
    private final KeyPrefix prefix;
    private final StoreContext context;
    private final RequestMeter meter;
    private final int fingerprint;
    private final StoreTasks writes;
    private final StoreTasks reads;
    private final StoreTasks others;

    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Counts the open store and each running task. The last of them closes the client. */
    private final AtomicInteger users = new AtomicInteger(1);

    private BucketBlobStore(Bucket bucket, KeyPrefix prefix, StoreContext context, String id) {
        this.bucket = bucket;
        this.prefix = prefix;
        this.context = context;
        meter = context.meter();
        fingerprint = StoreFingerprint.of(id);
        String scheme = bucket.location().substring(0, bucket.location().indexOf(':'));
        Time time = context.time();
        Bucket.Limits limits = bucket.limits();
        writes = new StoreTasks(time.workers("blobshuffle-" + scheme + "-write", limits.writes()), location());
        reads = new StoreTasks(time.workers("blobshuffle-" + scheme + "-read", limits.reads()), location());
        others = new StoreTasks(time.workers("blobshuffle-" + scheme + "-other", limits.others()), location());
    }

    /**
     * Opens the store in a bucket; creates it if there is none. Blocks: the first requests of a
     * client take seconds, which would otherwise delay a commit.
     *
     * @param bucket owned by the store from now on, also after a failure
     * @throws StoreUnavailableException recoverable: the bucket cannot be reached;
     *     {@link StoreRefusedException} if an operator must act
     * @throws dev.blobshuffle.core.failure.InvalidSettingsException fatal: the object under the
     *     marker's key is not a marker
     */
    public static BucketBlobStore open(Bucket bucket, KeyPrefix prefix, StoreContext context) {
        try {
            return new BucketBlobStore(bucket, prefix, context, new BucketMarker(bucket, prefix, context).agree());
        } catch (RuntimeException | Error e) {
            bucket.close();
            throw e;
        }
    }

    @Override
    public CompletionStage<Void> put(BlobId id, BlobContent content) {
        content.retain();
        return run(
                writes,
                "store blob " + id,
                () -> {
                    bucket.put(prefix.key(id), content);
                    return nothing();
                },
                content::release);
    }

    @Override
    public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
        return run(reads, "read blob " + id, () -> read(id, range), () -> {});
    }

    @Override
    public CompletionStage<Long> length(BlobId id) {
        return run(
                reads,
                "measure blob " + id,
                () -> {
                    meter.sent(Request.HEAD);
                    return bucket.length(prefix.key(id)).orElseThrow(() -> missing(id));
                },
                () -> {});
    }

    private BlobBytes read(BlobId id, BlobRange range) {
        if (range.length() > Integer.MAX_VALUE - 8) {
            throw range.outside(id, Integer.MAX_VALUE - 8, location());
        }
        String key = prefix.key(id);
        ByteBuffer bytes = bucket.get(key, range.offset(), (int) range.length()).orElseThrow(() -> missing(id));
        if (bytes.remaining() == range.length()) {
            return BlobBytes.of(bytes);
        }
        meter.sent(Request.HEAD);
        OptionalLong length = bucket.length(key);
        if (length.isEmpty()) {
            throw missing(id);
        }
        if (length.getAsLong() < range.end()) {
            throw range.outside(id, length.getAsLong(), location());
        }
        throw new StoreUnavailableException("Cannot read blob " + id + ": " + bytes.remaining() + " of "
                + range.length() + " bytes arrived from " + location() + ". Check the network to the store.");
    }

    /** Distinguishes a missing blob from a deleted bucket, which may be restored. */
    private BlobMissingException missing(BlobId id) {
        meter.sent(Request.HEAD);
        if (bucket.length(prefix.marker()).isEmpty()) {
            throw new StoreRefusedException(
                    "Cannot read blob " + id + ": " + location() + " is not a store any more, its object "
                            + StoreMarker.NAME + " is gone. Restore the bucket, or check what deletes from it.");
        }
        return new BlobMissingException(
                "Cannot read blob " + id + ": it is not in " + location()
                        + ". Check that writers and readers use the same store, that blobs are kept for long enough, and the bucket's lifecycle rules.");
    }

    @Override
    public Optional<Registers> registers() {
        return Optional.of(new Registers() {
            @Override
            public CompletionStage<Optional<Register>> read(String name) {
                return run(others, "read register " + name, () -> readRegister(name), () -> {});
            }

            @Override
            public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
                return run(others, "write register " + name, () -> writeRegister(name, expected, text), () -> {});
            }
        });
    }

    private Optional<Register> readRegister(String name) {
        meter.sent(Request.GET);
        Optional<Register> found = bucket.read(prefix.register(name), Registers.MOST_BYTES + 1);
        found.ifPresent(register -> Registers.bytes(name, register.text()));
        if (found.isEmpty()) {
            meter.sent(Request.HEAD);
            if (bucket.length(prefix.marker()).isEmpty()) { // A missing register may also mean that the bucket is gone.
                throw new StoreRefusedException("Cannot read register " + name + ": " + location()
                        + " is not a store any more, its object " + StoreMarker.NAME
                        + " is gone. Restore the bucket, or check what deletes from it.");
            }
        }
        return found;
    }

    private boolean writeRegister(String name, Optional<Register> expected, String text) {
        byte[] bytes = Registers.bytes(name, text);
        String key = prefix.register(name);
        meter.sent(Request.PUT);
        return expected.isEmpty()
                ? bucket.putIfAbsent(key, bytes)
                : bucket.putIfVersion(key, expected.get().version(), bytes);
    }

    @Override
    public CompletionStage<Void> delete(Collection<BlobId> ids) {
        List<String> keys = ids.stream().map(prefix::key).toList();
        FutureGroup<Boolean> deleted = new FutureGroup<>();
        int step = bucket.keysPerDelete();
        for (int from = 0; from < keys.size() || from == 0; from += step) {
            List<String> some = keys.subList(from, Math.min(keys.size(), from + step));
            deleted.add(run(others, "delete " + keys.size() + " blobs", () -> delete(some), () -> {}));
        }
        return deleted.all(all -> nothing());
    }

    private boolean delete(List<String> keys) {
        if (!keys.isEmpty()) {
            meter.sent(Request.DELETE);
            bucket.delete(keys);
        }
        return true;
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, long generation) {
        return inEachShard(
                "list generation " + generation,
                shard -> {
                    List<StoredBlob> found = new ArrayList<>();
                    for (Bucket.Entry object :
                            pages(bucket, bucket::objects, prefix.generation(owner, shard, generation), meter)) {
                        blob(object).ifPresent(found::add);
                    }
                    return found;
                },
                shards -> shards.stream().flatMap(List::stream).toList());
    }

    @Override
    public CompletionStage<List<StoredBlob>> list(int owner, GenerationSpan generations) {
        if (!bucket.listsAnyStart()) {
            return listEach(owner, generations);
        }
        return inEachShard(
                "list generations from " + generations.first(),
                shard -> {
                    List<StoredBlob> found = new ArrayList<>();
                    for (Bucket.Entry object :
                            pages(bucket, bucket::objects, prefix.span(owner, shard, generations), meter)) {
                        blob(object)
                                .filter(blob -> generations.contains(blob.id().generation()))
                                .ifPresent(found::add);
                    }
                    return found;
                },
                shards -> shards.stream().flatMap(List::stream).toList());
    }

    /** Lists the generations that exist, one by one. */
    private CompletionStage<List<StoredBlob>> listEach(int owner, GenerationSpan generations) {
        return generations(owner).thenCompose(known -> {
            FutureGroup<List<StoredBlob>> lists = new FutureGroup<>();
            known.stream().filter(generations::contains).forEach(each -> lists.add(list(owner, each.longValue())));
            return lists.all(all -> all.stream().flatMap(List::stream).toList());
        });
    }

    @Override
    public CompletionStage<List<Long>> generations(int owner) {
        return inEachShard(
                "list generations",
                shard -> {
                    List<Long> generations = new ArrayList<>();
                    for (String directory : pages(bucket, bucket::directories, prefix.shard(owner, shard), meter)) {
                        prefix.parseGeneration(directory).ifPresent(generations::add);
                    }
                    return generations;
                },
                shards -> shards.stream().flatMap(List::stream).distinct().toList());
    }

    @Override
    public CompletionStage<List<Integer>> owners() {
        return run(
                others,
                "list owners",
                () -> pages(bucket, bucket::directories, prefix.blobs(), meter).stream()
                        .map(prefix::parseOwner)
                        .flatMapToInt(OptionalInt::stream)
                        .distinct()
                        .boxed()
                        .toList(),
                () -> {});
    }

    private Optional<StoredBlob> blob(Bucket.Entry object) {
        return prefix.blob(object.key()).map(id -> new StoredBlob(id, object.stored()));
    }

    private interface ShardListing<T> {
        List<T> of(int shard);
    }

    private <T> CompletionStage<List<T>> inEachShard(
            String what, ShardListing<T> listing, Function<List<List<T>>, List<T>> join) {
        FutureGroup<List<T>> lists = new FutureGroup<>();
        for (int i = 0; i < BlobKey.SHARDS; i++) {
            int shard = i;
            lists.add(run(others, what, () -> listing.of(shard), () -> {}));
        }
        return lists.all(join);
    }

    /** All pages of a listing. */
    static <T> List<T> pages(
            Bucket bucket,
            BiFunction<String, Optional<String>, Bucket.Page<T>> listing,
            String start,
            RequestMeter meter) {
        List<T> entries = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            meter.sent(Request.LIST);
            Bucket.Page<T> page = listing.apply(start, next);
            entries.addAll(page.entries());
            if (page.next().isPresent() && page.next().equals(next)) {
                throw new StoreUnavailableException("Cannot list " + start + " of " + bucket.location()
                        + ": it sends the same page again. Use a store that lists in pages.");
            }
            next = page.next();
        } while (next.isPresent());
        return entries;
    }

    private <T> CompletionStage<T> run(StoreTasks tasks, String what, Supplier<T> work, Runnable atEnd) {
        users.incrementAndGet();
        return tasks.run(what, work, () -> {
            atEnd.run();
            leave();
        });
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            bucket.close();
        }
    }

    @Override
    public Optional<StoreInspection> inspect() {
        StoreInspection bucketTells = bucket.inspect(prefix);
        List<StoreFinding> findings = new ArrayList<>(bucketTells.findings());
        findings.addAll(new ConditionProbe(bucket, prefix, context).findings());
        return Optional.of(new StoreInspection(bucketTells.clockAhead(), findings));
    }

    /**
     * Deletes everything below the store's prefix: blobs, registers, and the marker that makes it a
     * store. For a tool that created the store under a prefix of its own. Deletes the marker last,
     * so that a failed call can be repeated. No instance may write to the store during the call.
     * Blocks.
     *
     * @return how many objects it deleted
     * @throws StoreUnavailableException recoverable: the bucket does not answer;
     *     {@link StoreRefusedException} if the store has no prefix, or an operator must act
     */
    public int erase() {
        prefix.requireErasable(location());
        List<String> keys = pages(bucket, bucket::objects, prefix.text(), meter).stream()
                .map(Bucket.Entry::key)
                .filter(key -> !key.equals(prefix.marker()))
                .toList();
        int step = bucket.keysPerDelete();
        for (int from = 0; from < keys.size(); from += step) {
            boolean ignored = delete(keys.subList(from, Math.min(keys.size(), from + step)));
        }
        boolean ignored = delete(List.of(prefix.marker()));
        return keys.size() + 1;
    }

    @Override
    public int fingerprint() {
        return fingerprint;
    }

    @Override
    public String location() {
        return bucket.location(prefix);
    }

    /**
     * Waiting requests complete with {@code ClosedException}. Running ones end as
     * {@link Bucket#abort()} lets them. Idempotent.
     */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            writes.close();
            reads.close();
            others.close();
            bucket.abort();
            leave();
        }
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    private static Void nothing() {
        return null;
    }
}
