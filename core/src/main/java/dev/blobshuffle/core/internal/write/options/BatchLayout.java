package dev.blobshuffle.core.internal.write.options;

/** Which sections of a batch share a blob. A batch has one section for each zone of readers. */
public enum BatchLayout {
    /** As few blobs as the maximum size allows, at most one per zone. */
    PACKED,
    /** A blob for each zone: the layout of the BlobShuffle paper, section 3.1. */
    PER_ZONE,
    /** One blob, however large. */
    SINGLE
}
