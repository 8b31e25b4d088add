package dev.blobshuffle.core.store;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;

/**
 * Blobs under names that the caller chooses, instead of under a {@link BlobId}. A name has parts
 * with slashes between them, like {@code shuffles/orders-1/a.blob}. Each method blocks its caller's
 * thread until the answer or failure, and does not retry. Opening contacts no service, so a process
 * may start before its store. Thread-safe.
 *
 * <p>Failures are {@link dev.blobshuffle.core.failure.StoreUnavailableException}, as
 * {@link dev.blobshuffle.core.failure.StoreRefusedException} if an operator must act, or
 * {@link dev.blobshuffle.core.failure.ClosedException}, unless a method says otherwise.
 */
public interface NamedBlobs extends AutoCloseable {
    /**
     * Stores a blob, and replaces any blob of the same name. Readers find all bytes or none. The
     * content may be sent more than once. It is read buffer by buffer, so its list of buffers may
     * read a file while it is walked.
     */
    void put(String name, BlobContent content);

    /**
     * Reads the bytes from an offset on until the target is full.
     *
     * @param target filled from its position to its limit; if the read fails, its bytes are
     *     undefined
     * @throws dev.blobshuffle.core.failure.BlobMissingException there is no such blob
     * @throws dev.blobshuffle.core.failure.BlobCorruptException the blob ends before the target is
     *     full
     */
    void read(String name, long offset, ByteBuffer target);

    /** Deletes blobs, in the order of the collection. A missing blob is not a failure. */
    void delete(Collection<String> names);

    /**
     * The blobs whose names begin with a directory, in no order.
     *
     * @param directory ends with a slash
     */
    List<Entry> list(String directory);

    /** The location without credentials, fit for logs and messages. */
    String location();

    /** Closes the client; running requests may fail with {@code ClosedException}. Idempotent. */
    @Override
    void close();

    /**
     * A stored blob.
     *
     * @param name as it was put
     * @param length bytes
     */
    record Entry(String name, long length) {}
}
