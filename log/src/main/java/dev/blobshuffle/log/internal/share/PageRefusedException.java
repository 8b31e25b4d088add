package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.cache.PeerRefusedException;
import java.util.Arrays;
import java.util.Optional;

/** A member refuses to send a page. The requester reads it from the log. */
public final class PageRefusedException extends PeerRefusedException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** The reason of a refusal. */
    public enum Reason {
        /** It reads another log. */
        OTHER_LOG(421),
        /** It reads the topic at another position. */
        ELSEWHERE(416),
        /** Its batch before the page differs from the requester's. */
        OTHER_BATCH(409),
        /** It has too many requests. */
        BUSY(PeerRefusedException.BUSY),
        /** The log did not answer it. */
        LOG_FAILED(502);

        private final int status;

        Reason(int status) {
            this.status = status;
        }
    }

    /** A refusal. */
    public PageRefusedException(Reason reason) {
        super(reason.status, "Cannot send a page of the log: " + reason + ". The asker reads the log.");
        this.reason = reason;
    }

    /** The refusal of a working member; empty if the status shows a failure. */
    static Optional<PageRefusedException> harmless(int status) {
        return Arrays.stream(Reason.values())
                .filter(reason -> reason.status == status)
                .map(PageRefusedException::new)
                .filter(PageRefusedException::isHarmless)
                .findFirst();
    }

    /** The reason. */
    public Reason reason() {
        return reason;
    }

    /** Whether the member works, but cannot answer this question now. */
    boolean isHarmless() {
        return reason == Reason.ELSEWHERE || reason == Reason.OTHER_BATCH || reason == Reason.BUSY;
    }
}
