package dev.blobshuffle.core.internal.log.share;

/** A member does not send a page. The asker reads it from the log. */
public final class PageRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a member refuses. */
    public enum Reason {
        /** It reads another log. */
        OTHER_LOG,
        /** It reads the topic elsewhere. */
        ELSEWHERE,
        /** It knows another batch before the page than the asker. */
        OTHER_BATCH,
        /** Too much is asked for at a time. */
        BUSY,
        /** The log did not answer it. */
        LOG_FAILED
    }

    /** A refusal. */
    public PageRefused(Reason reason) {
        super("Cannot send a page of the log: " + reason + ". The asker reads the log.");
        this.reason = reason;
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /** Whether the member works, but cannot serve this question now. */
    boolean isHarmless() {
        return reason == Reason.ELSEWHERE || reason == Reason.OTHER_BATCH || reason == Reason.BUSY;
    }
}
