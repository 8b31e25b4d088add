package dev.blobshuffle.core.store;

import dev.blobshuffle.core.metrics.Counter;
import dev.blobshuffle.core.metrics.ShuffleMetrics;

/**
 * Counts requests that a store sends and that decorators above cannot see, because providers bill
 * each HTTP request. The decorators count a call of {@link BlobStore#put} or {@link BlobStore#get}
 * as one request. The store reports everything else: each page of a listing, each delete (or
 * multi-delete), each head, and attempts of a put or get beyond the first. Thread-safe; never
 * blocks.
 */
@FunctionalInterface
public interface RequestMeter {
    /** Counts nothing. */
    RequestMeter NONE = request -> {};

    /** Counts one HTTP request when it is sent. */
    void sent(Request request);

    /** Counts requests in an instance's metrics. */
    static RequestMeter into(ShuffleMetrics metrics) {
        return request -> metrics.add(request.counter, 1);
    }

    /** The kinds of requests that price lists distinguish. */
    enum Request {
        /** Writes a blob: an attempt beyond the first of a put. */
        PUT(Counter.PUTS),
        /** Reads a part of a blob: an attempt beyond the first of a get. */
        GET(Counter.GETS),
        /** Lists keys: one page. */
        LIST(Counter.LISTS),
        /** Deletes one or more blobs. */
        DELETE(Counter.DELETES),
        /** Asks for the presence or properties of a blob, or of the bucket. */
        HEAD(Counter.HEADS);

        private final Counter counter;

        Request(Counter counter) {
            this.counter = counter;
        }
    }
}
