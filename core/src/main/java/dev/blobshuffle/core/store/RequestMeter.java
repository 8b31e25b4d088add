package dev.blobshuffle.core.store;

/**
 * Counts the HTTP requests of a store that the decorators above it cannot see. Providers bill each
 * request. The decorators count a call of {@link BlobStore#put} or {@link BlobStore#get} as one
 * request. The store reports everything else: each page of a listing, each delete (or
 * multi-delete), each head, and attempts of a put or get beyond the first. Thread-safe; never
 * blocks.
 */
@FunctionalInterface
public interface RequestMeter {
    /** Counts nothing. */
    RequestMeter NONE = request -> {};

    /** Counts one HTTP request when it is sent. */
    void sent(Request request);

    /** The kinds of requests that price lists distinguish. */
    enum Request {
        /** Writes a blob: an attempt beyond the first of a put. */
        PUT,
        /** Reads a part of a blob: an attempt beyond the first of a get. */
        GET,
        /** Lists keys: one page. */
        LIST,
        /** Deletes one or more blobs. */
        DELETE,
        /** Asks for the presence or properties of a blob, or of the bucket. */
        HEAD
    }
}
