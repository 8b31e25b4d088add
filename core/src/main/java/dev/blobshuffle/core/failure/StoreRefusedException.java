package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The store refused a request for a reason that lasts until an operator acts: credentials,
 * permissions, a missing bucket, the wrong region, a wrong clock. A refusal while a store is opened
 * becomes {@link InvalidSettingsException}. A later one counts as unavailability, because the
 * operator can restore a permission.
 */
public final class StoreRefusedException extends StoreUnavailableException {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreRefusedException(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public StoreRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
