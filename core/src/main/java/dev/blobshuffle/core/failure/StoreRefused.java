package dev.blobshuffle.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * The store answered, and refused for a reason that lasts until somebody acts: credentials, permissions, a bucket that is not there, the wrong region, a clock that
 * is off. When a store is opened it becomes {@link InvalidSettings}; later it is unavailability like any other, since a permission can be given back.
 */
public final class StoreRefused extends StoreUnavailable {
    private static final long serialVersionUID = 1L;

    /** A failure with its message: "Cannot verb what: reason, values. Remedy." */
    public StoreRefused(String message) {
        super(message, null);
    }

    /** A failure with its message and the failure that led to it. */
    public StoreRefused(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
