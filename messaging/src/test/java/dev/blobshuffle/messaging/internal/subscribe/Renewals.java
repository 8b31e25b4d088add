package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.messaging.Subscriber;
import java.util.List;

/** Renews leases at once, so a test need not wait three seconds for the timer. */
public final class Renewals {
    private Renewals() {}

    /** Renews a member's lease in the background. */
    public static void now(Subscriber<?, ?> subscriber) {
        ((LogSubscriber<?, ?>) subscriber).session.release(List.of());
    }
}
