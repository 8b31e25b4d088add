package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The root of all failures that BlobShuffle reports. Its subclasses say what the caller must do.
 */
public abstract sealed class BlobShuffleException extends RuntimeException
        permits StoreUnavailable,
                BlobMissing,
                BlobCorrupt,
                InvalidSettings,
                MemoryExhausted,
                RecordTooLarge,
                DeadlineExceeded,
                DeliveryFailed,
                Interrupted,
                LogFailure,
                Closed {
    private static final long serialVersionUID = 1L;

    BlobShuffleException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
