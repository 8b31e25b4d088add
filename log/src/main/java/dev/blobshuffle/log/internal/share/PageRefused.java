package dev.blobshuffle.log.internal.share;

import dev.blobshuffle.core.internal.cache.PeerRefused;
import java.util.Arrays;
import java.util.Optional;

/** A member does not send a page. The asker reads it from the log. */
public final class PageRefused extends PeerRefused {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a member refuses. */
    public enum Reason {
        /** It reads another log. */
        OTHER_LOG(421),
        /** It reads the topic elsewhere. */
        ELSEWHERE(416),
        /** It knows another batch before the page than the asker. */
        OTHER_BATCH(409),
        /** Too much is asked for at a time. */
        BUSY(PeerRefused.BUSY),
        /** The log did not answer it. */
        LOG_FAILED(502);

        private final int status;

        Reason(int status) {
            this.status = status;
        }
    }

    /** A refusal. */
    public PageRefused(Reason reason) {
        super(reason.status, "Cannot send a page of the log: " + reason + ". The asker reads the log.");
        this.reason = reason;
    }

    /** The refusal of a member that works; empty if the status says that it does not. */
    static Optional<PageRefused> harmless(int status) {
        return Arrays.stream(Reason.values())
                .filter(reason -> reason.status == status)
                .map(PageRefused::new)
                .filter(PageRefused::isHarmless)
                .findFirst();
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
