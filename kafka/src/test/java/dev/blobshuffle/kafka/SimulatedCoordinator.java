package dev.blobshuffle.kafka;

import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * A simulated transaction coordinator: an epoch per transactional id, and its transaction. A
 * decided transaction ends a moment later, when its markers are in the logs. Guarded by the
 * simulation's baton.
 */
final class SimulatedCoordinator {
    private final SimulatedTime time;
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Map<String, Ongoing> ongoing = new HashMap<>();

    SimulatedCoordinator(SimulatedTime time) {
        this.time = time;
    }

    private record Ongoing(SimulatedTransaction transaction, long begunNanos) {}

    /**
     * Makes a producer the only one of its id: fences others, and aborts their transactions.
     *
     * @return the epoch; null while the last transaction ends
     */
    @Nullable
    Integer init(String id) {
        Ongoing last = ongoing.get(id);
        if (last != null) {
            fence(id);
            return null;
        }
        return epochs.merge(id, 1, Integer::sum);
    }

    private void fence(String id) {
        Ongoing last = ongoing.get(id);
        if (last != null && !last.transaction.isDecided()) {
            epochs.merge(id, 1, Integer::sum);
            decide(last.transaction, false);
        }
    }

    /**
     * Whether a transaction's producer is the current one, and its transaction is not decided. The
     * first call begins the transaction.
     */
    boolean isAccepted(SimulatedTransaction transaction) {
        Ongoing last = ongoing.get(transaction.id());
        if (epochs.getOrDefault(transaction.id(), 0) != transaction.epoch() || transaction.isDecided()) {
            return false;
        }
        if (last == null) {
            ongoing.put(transaction.id(), new Ongoing(transaction, time.nanos()));
            return true;
        }
        return last.transaction == transaction;
    }

    /** Whether an id's last transaction has ended, so that the next one can begin. */
    boolean isIdle(String id) {
        return !ongoing.containsKey(id);
    }

    /**
     * Ends a transaction; may be repeated if the answer was lost.
     *
     * @throws ProducerFencedException another producer has taken over, or the transaction took too
     *     long
     */
    void end(SimulatedTransaction transaction, boolean isCommit) {
        boolean isSame = epochs.getOrDefault(transaction.id(), 0) == transaction.epoch();
        if (!isSame) {
            throw new ProducerFencedException("A newer producer has the transactional id " + transaction.id() + ".");
        }
        Ongoing last = ongoing.get(transaction.id());
        if (last != null && last.transaction == transaction && !transaction.isDecided()) {
            decide(transaction, isCommit);
        }
    }

    private void decide(SimulatedTransaction transaction, boolean isCommit) {
        transaction.decide();
        time.schedule(Duration.ofNanos(time.random(20_000_000)), () -> {
            transaction.end(isCommit);
            ongoing.remove(transaction.id());
        });
    }

    /** Aborts transactions that are open for too long, and fences their producers. */
    void expire(long begunBeforeNanos) {
        for (Ongoing one : List.copyOf(ongoing.values())) {
            if (begunBeforeNanos - one.begunNanos > 0) {
                fence(one.transaction.id());
            }
        }
    }

    boolean isIdle() {
        return ongoing.isEmpty();
    }
}
