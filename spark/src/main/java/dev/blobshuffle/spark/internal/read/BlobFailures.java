package dev.blobshuffle.spark.internal.read;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockManagerId;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * Records whose failures name the blob of a block. A block of a blob that is read as a local one
 * fails with the name of this executor. The driver knows the map by its blob's name, and would
 * unregister nothing. Owned by the task's thread.
 */
final class BlobFailures<T> extends AbstractIterator<T> {
    private final Iterator<T> records;
    private final Map<Long, BlockManagerId> local;

    /** @param local the blobs of the attempts that are read as local ones */
    BlobFailures(Iterator<T> records, Map<Long, BlockManagerId> local) {
        this.records = records;
        this.local = local;
    }

    @Override
    public boolean hasNext() {
        try {
            return records.hasNext();
        } catch (Exception e) {
            throw BlobFailures.<RuntimeException>unchecked(named(e));
        }
    }

    @Override
    public T next() {
        try {
            return records.next();
        } catch (Exception e) {
            throw BlobFailures.<RuntimeException>unchecked(named(e));
        }
    }

    /** Spark takes the failure that was made last. */
    Exception named(Exception e) {
        if (!(e instanceof FetchFailedException failure)
                || !(failure.toTaskFailedReason() instanceof FetchFailed reason)) {
            return e;
        }
        Optional<BlockManagerId> blob = Optional.ofNullable(local.get(reason.mapId()));
        return blob.<Exception>map(location -> new FetchFailedException(
                        location,
                        reason.shuffleId(),
                        reason.mapId(),
                        reason.mapIndex(),
                        reason.reduceId(),
                        String.valueOf(e.getMessage()),
                        e))
                .orElse(e);
    }

    /** Scala's methods declare no exceptions. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Exception> E unchecked(Exception e) throws E {
        throw (E) e;
    }
}
