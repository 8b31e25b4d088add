package dev.blobshuffle.core.internal.resilience;

import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.Gauge;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops sending requests to a store that is down. After several consecutive failures, puts (or
 * gets) fail at once; one probe at a time is sent until the store answers. Callers with a fallback
 * use it without a wait, and the others put no load on the failing store. Puts and gets have a
 * circuit each; deletes and listings have none. Thread-safe.
 */
public final class CircuitBreakingBlobStore extends InterceptingBlobStore {
    private static final Logger LOG = LoggerFactory.getLogger(CircuitBreakingBlobStore.class);

    private final Map<Kind, CircuitBreaker> circuits = new EnumMap<>(Kind.class);
    private final ShuffleMetrics metrics;
    private final Reports reports;
    private final ShuffleMetrics.Registration gauge;

    /** Whether it logs that a store goes down and comes back. */
    public enum Reports {
        /** It logs both. */
        LOG,
        /** It does not, because the caller does. */
        NONE
    }

    /** Puts circuit breakers before a store. */
    public CircuitBreakingBlobStore(BlobStore store, CircuitPolicy policy, Time time, ShuffleMetrics metrics) {
        this(store, policy, Reports.LOG, time, metrics);
    }

    /** Puts circuit breakers before a store. */
    CircuitBreakingBlobStore(
            BlobStore store, CircuitPolicy policy, Reports reports, Time time, ShuffleMetrics metrics) {
        super(store);
        this.metrics = metrics;
        this.reports = reports;
        circuits.put(Kind.PUT, new CircuitBreaker(policy, time, new Reporter("store blobs")));
        circuits.put(Kind.GET, new CircuitBreaker(policy, time, new Reporter("answer reads")));
        gauge = metrics.report(
                Gauge.STORE_CIRCUITS_OPEN,
                () -> circuits.values().stream().filter(CircuitBreaker::isOpen).count());
    }

    @Override
    <T> CompletionStage<T> run(StoreCall<T> call) {
        CircuitBreaker circuit = circuits.get(call.kind());
        if (circuit == null) {
            return call.start();
        }
        CircuitBreaker.Leave leave = circuit.ask();
        if (leave == CircuitBreaker.Leave.REFUSED) {
            return CompletableFuture.failedFuture(
                    new NotSentException(
                            NotSentException.Reason.STORE_IS_DOWN,
                            "Cannot " + call.what() + ": " + location()
                                    + " has failed several times in a row and gets few requests until it answers. Restore the store."));
        }
        CompletionStage<T> stage = call.start();
        var ignored = stage.whenComplete(
                (value, failure) -> circuit.ended(leave, failure == null ? null : Failures.unwrapped(failure)));
        return stage; // Not the dependent stage, which cannot be abandoned.
    }

    /** Closes the store below. Idempotent. */
    @Override
    public void close() {
        gauge.close();
        super.close();
    }

    private final class Reporter implements CircuitBreaker.Listener {
        private final String what;

        Reporter(String what) {
            this.what = what;
        }

        @Override
        public void down(Throwable cause) {
            metrics.add(Counter.STORE_OUTAGES, 1);
            if (reports == Reports.LOG) {
                LOG.warn("The store {} does not {} ({}). Restore it.", location(), what, cause.toString());
            }
        }

        @Override
        public void up() {
            if (reports == Reports.LOG) {
                LOG.info("The store {} does {} again.", location(), what);
            }
        }
    }
}
