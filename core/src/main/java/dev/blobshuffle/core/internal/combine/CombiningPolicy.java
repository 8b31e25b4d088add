package dev.blobshuffle.core.internal.combine;

/**
 * Decides which blobs of an instance are handed to a hub. It decides for each blob, so a change
 * affects later blobs only. Thread-safe. Called for each batch and blob, never for each record.
 */
public interface CombiningPolicy {
    /** Hands over every blob that is small enough. */
    CombiningPolicy ALWAYS = blobBytes -> true;

    /** Whether a blob that is to be stored is handed over if it is small enough. */
    boolean handsOver(long blobBytes);

    /**
     * Whether a batch goes through the channel as records.
     *
     * @param alone the size below which this is cheaper than a blob that is stored by itself
     */
    default boolean inlines(long batchBytes, long alone) {
        return batchBytes < alone;
    }

    /**
     * Records a part that was announced in a combined blob.
     *
     * @param partBytes bytes of its segments
     * @param blobBytes those of all segments of the combined blob
     */
    default void combined(long partBytes, long blobBytes) {}

    /** Records a part that its instance stores by itself because of the hub. */
    default void failed(long partBytes) {}
}
