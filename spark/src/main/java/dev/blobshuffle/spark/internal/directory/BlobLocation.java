package dev.blobshuffle.spark.internal.directory;

import dev.blobshuffle.core.store.BlobId;
import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/**
 * How a blob appears in Spark's map statuses: as an executor of its own. So Spark groups the maps
 * of a blob, asks for their blocks together, and unregisters exactly them if the blob is lost.
 * Stateless.
 */
public final class BlobLocation {
    /** Of no machine: Spark reads from the disk of an executor that has its own host's name. */
    private static final String HOST = "blob-store";

    private static final String PREFIX = "blob:";

    private BlobLocation() {}

    /** The executor that stands for a blob. */
    public static BlockManagerId of(BlobId blob) {
        return BlockManagerId.apply(executor(blob), HOST, 1, Option.empty());
    }

    /** Its name. */
    public static String executor(BlobId blob) {
        return PREFIX + blob;
    }

    /** The blob that an executor stands for; empty if it is a real one. */
    public static Optional<BlobId> parse(String executor) {
        return executor.startsWith(PREFIX) ? BlobId.parse(executor.substring(PREFIX.length())) : Optional.empty();
    }
}
