package dev.blobshuffle.core.internal.write.options;

/** Which sections of a batch, one for each zone of readers, share a blob. */
public enum BatchLayout {
    /** As few blobs as the maximum size allows, and never more than zones. */
    PACKED,
    /** A blob for each zone: the layout of the BlobShuffle paper, section 3.1. */
    PER_ZONE,
    /** One blob, however large. */
    SINGLE
}
