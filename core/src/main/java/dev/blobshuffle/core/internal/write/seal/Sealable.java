package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.write.deliver.Segment;
import java.util.List;

/** A lane, as seen by its batch. */
public interface Sealable {
    /**
     * Cuts the unsealed records into segments, and queues them for delivery. Called under the
     * batch's monitor.
     *
     * @param sealed receives the segments to upload
     */
    void cut(List<Segment> sealed, long nowNanos);

    /** Whether the lane has unsealed records. */
    boolean hasUnsealed();

    /** The batch that the lane's records belong to. */
    OpenBatch batch();
}
