package dev.blobshuffle.core.failure;

/**
 * There is no store in this place, and none may be created. It was never created, it is not
 * mounted, or its marker was deleted.
 */
public final class StoreAbsentException extends InvalidSettingsException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreAbsentException(String message) {
        super(message);
    }
}
