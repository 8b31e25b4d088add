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
    /** Of no machine. */
    private static final String UNKNOWN_HOST = "blob-store";

    /**
     * A prefix that Spark takes off a location when it looks for a host to run a task on ({@code
     * TaskLocation}), and nowhere else.
     */
    private static final String NEAR = "hdfs_cache_";

    private static final String PREFIX = "blob:";

    private BlobLocation() {}

    /**
     * The executor that stands for a blob. Readers run on the host of the blob's writer if they
     * can, as natively. Its own name would not do: for its own host Spark reads the disk of the
     * executor that it believes in. A host that no executor has would let readers wait for it, with
     * a local master for ever.
     *
     * @param host of the blob's writer
     */
    public static BlockManagerId of(BlobId blob, String host) {
        boolean isIpv6 = host.indexOf(':') >= 0; // Spark wants such an address in brackets, and no more.
        return BlockManagerId.apply(executor(blob), isIpv6 ? UNKNOWN_HOST : NEAR + host, 1, Option.empty());
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
