package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A bucket of an object store by a client that blocks: what {@link BucketBlobStore} needs of it. Each call is one HTTP request and is not repeated, since retries are
 * decorators of the store. Thread-safe.
 *
 * <p>Failures are {@link dev.blobshuffle.core.failure.StoreUnavailable}, as {@link dev.blobshuffle.core.failure.StoreThrottled} or
 * {@link dev.blobshuffle.core.failure.StoreRefused} where the answer says so. A bucket that is not there is {@code StoreRefused}, except where said.
 */
public interface Bucket extends AutoCloseable {
    /** Writes an object in one request. Nothing reads the content's buffers when it has returned or thrown. */
    void put(String key, BlobContent content);

    /** Writes a small object if there is none of its key; says whether it did. Of several at once, one does. */
    boolean putIfAbsent(String key, byte[] bytes);

    /**
     * Reads a small text with its version; empty if there is no such object.
     *
     * @param most bytes that it may have
     */
    Optional<Register> read(String key, int most);

    /** Writes a small object if its present version is the given one; says whether it did. */
    boolean putIfVersion(String key, String version, byte[] bytes);

    /**
     * Reads a part of an object into an array of its own. Less comes back if the object ends before, nothing if it ends before the first byte.
     *
     * @return empty if there is no such object, or no such bucket
     */
    Optional<ByteBuffer> get(String key, long offset, int length);

    /** The length of an object in bytes; empty if there is no such object, or no such bucket. */
    OptionalLong length(String key);

    /** The most keys that one {@link #delete} takes. */
    int keysPerDelete();

    /** Deletes objects; one that is not there is no failure. */
    void delete(List<String> keys);

    /**
     * One page of the keys that begin with a text.
     *
     * @param from the {@link Page#next()} of the page before; empty for the first
     */
    Page keys(String start, Optional<String> from);

    /** As {@link #keys}, cut after the first slash behind the start, each cut key once: the "directories" below. */
    Page directories(String start, Optional<String> from);

    /**
     * What only the service knows: its clock, and what expires or keeps deleted objects. What it does not tell is a finding and not a failure.
     *
     * @param prefix what the store's keys begin with
     */
    StoreInspection inspect(KeyPrefix prefix);

    /** The bucket as it may be shown to people, without credentials and without a slash at its end: {@code gs://bucket}. */
    String location();

    /** Ends the client if it is the bucket's own. Idempotent. Nothing is under way any more. */
    @Override
    void close();

    /**
     * A part of a listing.
     *
     * @param keys the keys, or cut keys
     * @param next where the next page begins; empty for the last one
     */
    record Page(List<String> keys, Optional<String> next) {
        /** Copies the keys. */
        public Page {
            keys = List.copyOf(keys);
        }
    }
}
