package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/** The settings are invalid. Fix them and start again. */
public sealed class InvalidSettingsException extends BlobShuffleException permits StoreAbsentException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public InvalidSettingsException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public InvalidSettingsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
