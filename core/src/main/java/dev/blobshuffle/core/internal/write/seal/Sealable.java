package dev.blobshuffle.core.internal.write.seal;

import dev.blobshuffle.core.internal.write.deliver.Segment;
import java.util.List;

/** A lane, as the batch that it shares sees it. */
public interface Sealable {
    /**
     * Cuts what is appended into segments, and queues them for delivery. Under the batch's monitor.
     *
     * @param sealed takes the segments that must be uploaded
     */
    void cut(List<Segment> sealed, long nowNanos);

    /** Whether anything is appended and not sealed. */
    boolean hasUnsealed();

    /** The batch that the lane's records belong to. */
    OpenBatch batch();
}
