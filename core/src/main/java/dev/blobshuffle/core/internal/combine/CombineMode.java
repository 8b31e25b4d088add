package dev.blobshuffle.core.internal.combine;

/** Who decides whether an instance hands small blobs to a hub: {@code combine.enabled}. */
public enum CombineMode {
    /** The user: it does not. */
    FALSE,
    /** The user: it does. An instance that cannot combine does not start. */
    TRUE,
    /** The instance, by {@link AutoCombining}. */
    AUTO
}
