package dev.blobshuffle.core.internal.combine;

import dev.blobshuffle.core.failure.BlobShuffleException;

/** A hub did not store a part. The contributor stores it by itself. */
public final class PartRefusedException extends BlobShuffleException {
    private static final long serialVersionUID = 1L;

    /** Why a hub refuses a part. */
    public enum Reason {
        /** The member is no hub. Another one may be. */
        NO_HUB,
        /** The hub's memory is full, or it closes. */
        BUSY,
        /** The hub stores for another owner, in another store, or in another zone. */
        FOREIGN,
        /** The part is damaged, encrypted, too long, or of another version. */
        UNUSABLE
    }

    private final Reason reason;

    /** A refusal with its message: "Cannot verb what: reason, values. Remedy." */
    public PartRefusedException(Reason reason, String message) {
        super(message, null);
        this.reason = reason;
    }

    /** The reason. */
    public Reason reason() {
        return reason;
    }
}
