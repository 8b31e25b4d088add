package dev.blobshuffle.flight.internal.server;

import dev.blobshuffle.flight.internal.blob.Refused;
import dev.blobshuffle.flight.internal.blob.Refused.Reason;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ServerCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The calls in progress of each tenant, bounded, so that one tenant cannot take the memory that the
 * calls of others need. Thread-safe.
 */
final class CallPlaces {
    private final int most;
    private final Map<Object, Integer> calls = new ConcurrentHashMap<>();

    /** @param most calls at a time of one tenant */
    CallPlaces(int most) {
        this.most = most;
    }

    /**
     * A call begins.
     *
     * @return ends it; may run several times
     * @throws Refused the tenant has as many calls as it may have
     */
    Runnable enter(Object tenant) {
        calls.compute(tenant, (key, count) -> {
            int before = count == null ? 0 : count;
            if (before >= most) {
                throw new Refused(
                        Reason.EXHAUSTED,
                        "Cannot begin a call: " + before + " calls of this token's namespaces are in progress,"
                                + " and the daemon takes no more of one tenant (--calls-per-tenant)."
                                + " End some, or raise the limit.");
            }
            return before + 1;
        });
        AtomicBoolean isOver = new AtomicBoolean();
        return () -> {
            if (!isOver.getAndSet(true)) {
                calls.computeIfPresent(tenant, (key, count) -> count == 1 ? null : count - 1);
            }
        };
    }

    /** Runs a task when a call is over, however it ends. */
    static <Q> ServerCall.Listener<Q> whenOver(ServerCall.Listener<Q> listener, Runnable over) {
        return new SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onComplete() {
                over.run();
                super.onComplete();
            }

            @Override
            public void onCancel() {
                over.run();
                super.onCancel();
            }
        };
    }
}
