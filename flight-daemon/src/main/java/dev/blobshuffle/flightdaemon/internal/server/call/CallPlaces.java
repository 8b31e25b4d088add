package dev.blobshuffle.flightdaemon.internal.server.call;

import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException.Reason;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ServerCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits the calls in progress of each tenant. One tenant thus cannot take the memory that calls of
 * others need. Thread-safe.
 */
public final class CallPlaces {
    private final int most;
    private final Map<Object, Integer> calls = new ConcurrentHashMap<>();

    /** @param most concurrent calls of one tenant */
    public CallPlaces(int most) {
        this.most = most;
    }

    /**
     * Begins a call.
     *
     * @return ends the call; may run several times
     * @throws RefusedException the tenant has reached its limit of calls
     */
    Runnable enter(Object tenant) {
        calls.compute(tenant, (key, count) -> {
            int before = count == null ? 0 : count;
            if (before >= most) {
                throw new RefusedException(
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
