package dev.blobshuffle.core.internal.store.bucket;

import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.StoreInspection;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The blocking client of a bucket in an object store, for {@link BucketBlobStore}. Each call is one
 * HTTP request without retries, because decorators of the store retry. Thread-safe.
 *
 * <p>Failures are {@link dev.blobshuffle.core.failure.StoreUnavailableException}, as
 * {@link dev.blobshuffle.core.failure.StoreThrottledException} or
 * {@link dev.blobshuffle.core.failure.StoreRefusedException} if the answer says so. A missing
 * bucket is {@code StoreRefusedException}, unless a method says otherwise.
 */
public interface Bucket extends AutoCloseable {
    /**
     * Writes an object in one request. After it has returned or thrown, the client no longer reads
     * the content's buffers.
     */
    void put(String key, BlobContent content);

    /**
     * Writes a small object if its key does not exist, and returns whether it did. Of several
     * concurrent calls, exactly one succeeds.
     */
    boolean putIfAbsent(String key, byte[] bytes);

    /**
     * Reads a small text with its version and time; empty if there is no such object.
     *
     * @param most the most bytes that it may have
     */
    Optional<Register> read(String key, int most);

    /**
     * Writes a small object if its current version is the given one, and returns whether it did.
     */
    boolean putIfVersion(String key, String version, byte[] bytes);

    /**
     * Reads a part of an object into a new array. The result is shorter if the object ends within
     * the part, and empty if it ends before the part.
     *
     * @return empty if there is no such object, or no such bucket
     */
    Optional<ByteBuffer> get(String key, long offset, int length);

    /** The length of an object in bytes; empty if there is no such object, or no such bucket. */
    OptionalLong length(String key);

    /** The most keys that one {@link #delete} takes. */
    int keysPerDelete();

    /** Deletes objects. A missing object is not a failure. */
    void delete(List<String> keys);

    /**
     * One page of the objects whose keys begin with a text.
     *
     * @param from the {@link Page#next()} of the page before; empty for the first
     */
    Page<Entry> objects(String start, Optional<String> from);

    /**
     * Whether a listing may begin with any text. Some buckets require one that ends with a slash.
     */
    default boolean listsAnyStart() {
        return true;
    }

    /**
     * The keys of these objects, but each key is cut after the first slash behind the start and
     * listed once: the "directories" below it.
     */
    Page<String> directories(String start, Optional<String> from);

    /**
     * Facts that only the service knows: its clock, and the rules that expire objects or keep
     * deleted ones. An unanswered question is a finding, not a failure.
     *
     * @param prefix the prefix of the store's keys
     */
    StoreInspection inspect(KeyPrefix prefix);

    /**
     * The bucket's URI for logs and messages, without credentials and without a trailing slash:
     * {@code gs://bucket}.
     */
    String location();

    /**
     * The store's location for logs and messages, without credentials: {@code gs://bucket/prefix}.
     */
    default String location(KeyPrefix prefix) {
        String text = location() + "/" + prefix.text();
        return text.substring(0, text.length() - 1);
    }

    /** The most requests at once. Constant. */
    default Limits limits() {
        return Limits.DEFAULT;
    }

    /**
     * Fails the requests in flight with {@code ClosedException}, if the client can end them; does
     * nothing if it cannot. Called once, before {@link #close()}.
     */
    default void abort() {}

    /** Closes the client if the bucket owns it. Idempotent. Called when no request is in flight. */
    @Override
    void close();

    /**
     * The most requests at once, which is the number of threads and connections for each kind.
     *
     * @param writes writes of blobs
     * @param reads reads of blobs
     * @param others deletes, pages of listings, and registers
     */
    record Limits(int writes, int reads, int others) {
        /**
         * Those that the decorators allow, including hedges, plus some that were abandoned and have
         * not ended.
         */
        public static final Limits DEFAULT = new Limits(20, 40, 8);

        /** The sum of all kinds. */
        public int all() {
            return writes + reads + others;
        }
    }

    /**
     * An object in a listing.
     *
     * @param key its key
     * @param stored when it was written, by the service's clock
     */
    record Entry(String key, Instant stored) {}

    /**
     * A part of a listing.
     *
     * @param entries the objects, or cut keys
     * @param next where the next page begins; empty for the last one
     */
    record Page<T>(List<T> entries, Optional<String> next) {
        /** Copies the entries. */
        public Page {
            entries = List.copyOf(entries);
        }
    }
}
