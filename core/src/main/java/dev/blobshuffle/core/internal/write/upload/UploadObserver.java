package dev.blobshuffle.core.internal.write.upload;

/** Observes uploads. Called by any thread; must not block. */
public interface UploadObserver {
    /**
     * Readers find a blob.
     *
     * @param nanosSinceSeal time since the seal of its batch
     */
    void stored(long bytes, long nanosSinceSeal);

    /** A blob is no longer in flight. */
    void ended();
}
