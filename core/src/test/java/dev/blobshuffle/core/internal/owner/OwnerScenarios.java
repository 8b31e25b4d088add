package dev.blobshuffle.core.internal.owner;

import static dev.blobshuffle.core.internal.owner.OwnerScenario.bound;
import static dev.blobshuffle.core.internal.owner.OwnerScenario.retention;

import dev.blobshuffle.core.internal.owner.OwnerScenario.Limited;
import dev.blobshuffle.core.internal.owner.OwnerScenario.Second;
import java.util.List;

/** The explored scenarios. Each call creates new ones. */
final class OwnerScenarios {
    private OwnerScenarios() {}

    /** All scenarios. */
    static List<OwnerScenario> all() {
        return List.of(
                copyOfAnotherApplication(),
                copyOfTheSameApplication(),
                copyWithoutBrokers(),
                copyInDoubt(),
                copyInDoubtOfTwo(),
                copyByTopic(),
                copyInSmallSteps(),
                copySettled(),
                copyWithStoreRestored(),
                lateOriginalSettled(),
                growingBound(),
                loweredBound(),
                retentions(),
                lateNotification(),
                topicMadeAgain(),
                kafkaRestored(),
                kafkaRestoredByTopic(),
                storeRestored(),
                twin(),
                otherCluster(),
                forgotten(),
                alone());
    }

    /** A runs in the original, B in the original stops, and the copy's B sweeps. */
    static OwnerScenario copyOfAnotherApplication() {
        return new OwnerScenario("copy of another application")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .member(0, 1, bound(1))
                .sweeper(1, 1, bound(1))
                .running(0, 1)
                .limit(Limited.START, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1);
    }

    /** One application on both sides. In the original it starts late or again. */
    static OwnerScenario copyOfTheSameApplication() {
        return new OwnerScenario("copy of the same application")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .limit(Limited.START, 2)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1);
    }

    /** The original's instance loses its brokers or its permissions. */
    static OwnerScenario copyInDoubt() {
        return new OwnerScenario("copy, the original in doubt")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 1, bound(1))
                .member(0, 1, bound(1))
                .running(2, 0)
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.BROKERS_AWAY, 1)
                .limit(Limited.RIGHTS_LOST, 1);
    }

    /** Two instances of the original are in doubt, and one of them crashes. */
    static OwnerScenario copyInDoubtOfTwo() {
        return new OwnerScenario("copy, two in doubt")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0, 1)
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.BROKERS_AWAY, 1);
    }

    /** Each topic is copied at a different time. */
    static OwnerScenario copyByTopic() {
        OwnerScenario scenario = copyOfAnotherApplication().byTopic();
        return named("copy by topic", scenario);
    }

    /** Reads and writes of checks and sweeps interleave, and an answer is lost. */
    static OwnerScenario copyInSmallSteps() {
        return new OwnerScenario("copy in small steps")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .fine()
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.LOST_ANSWER, 1);
    }

    /** An operator settles a contest while both sides live. */
    static OwnerScenario copySettled() {
        return new OwnerScenario("copy settled by an operator")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.SETTLE, 1);
    }

    /** The store goes back to a backup while the copy sweeps. */
    static OwnerScenario copyWithStoreRestored() {
        return new OwnerScenario("copy, the store restored")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.STORE_RESTORE, 1);
    }

    /** The store goes back to a backup, and the original starts while the copy sweeps. */
    static OwnerScenario lateOriginalWithStoreRestored() {
        return new OwnerScenario("a late original, the store restored")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .after(OwnerMoves.Kind.COPY, 0)
                .after(OwnerMoves.Kind.CRASH, 0)
                .after(OwnerMoves.Kind.START, 2)
                .after(OwnerMoves.Kind.CHECK, 1)
                .after(OwnerMoves.Kind.SEAL, 1)
                .limit(Limited.START, 1)
                .limit(Limited.STORE_RESTORE, 1);
    }

    /** The original starts while the copy sweeps, and an operator settles the contest. */
    static OwnerScenario lateOriginalSettled() {
        OwnerScenario scenario = named("a late original, settled by an operator", lateOriginalWithStoreRestored());
        scenario.limits.remove(Limited.STORE_RESTORE);
        return scenario.limit(Limited.SETTLE, 1);
    }

    /** The original loses its brokers, so that its instance cannot verify. */
    static OwnerScenario copyWithoutBrokers() {
        return new OwnerScenario("copy, the original without brokers")
                .second(Second.COPY)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .limit(Limited.START, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.BROKERS_AWAY, 1);
    }

    /** A member with a longer bound starts while another sweeps. */
    static OwnerScenario growingBound() {
        return new OwnerScenario("a growing bound")
                .sweeper(0, 0, bound(1))
                .member(0, 0, bound(3))
                .running(0)
                .split()
                .limit(Limited.START, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 2);
    }

    /** A sweeper lowers the bound of a member that loses the store after a put. */
    static OwnerScenario loweredBound() {
        return new OwnerScenario("a lowered bound")
                .sweeper(0, 0, bound(1))
                .member(0, 0, bound(3))
                .running(0, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.STORE_AWAY, 1);
    }

    /** Members with different retention, which change it with a restart. */
    static OwnerScenario retentions() {
        return new OwnerScenario("retentions")
                .sweeper(0, 0, retention(1), bound(1))
                .member(0, 0, retention(1), bound(1))
                .running(0)
                .limit(Limited.START, 2)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1);
    }

    /** A notification is above the high watermark, and becomes visible at any time. */
    static OwnerScenario lateNotification() {
        return new OwnerScenario("a late notification")
                .sweeper(0, 0, bound(1))
                .member(0, 0, bound(1))
                .running(0, 1)
                .split()
                .limit(Limited.SEAL, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.LATE_NOTIFICATION, 1);
    }

    /** A topic is created again and filled from a backup. */
    static OwnerScenario topicMadeAgain() {
        return new OwnerScenario("a topic made again")
                .sweeper(0, 0, bound(1))
                .running(0)
                .limit(Limited.SEAL, 1)
                .limit(Limited.TOPIC_AGAIN, 1);
    }

    /** Kafka goes back to a backup of one point in time while a sweep runs. */
    static OwnerScenario kafkaRestored() {
        return new OwnerScenario("Kafka restored")
                .sweeper(0, 0, bound(1))
                .running(0)
                .split()
                .limit(Limited.SEAL, 1)
                .limit(Limited.PURGE, 1)
                .limit(Limited.BROKERS_AWAY, 1)
                .limit(Limited.KAFKA_RESTORE, 1);
    }

    /** The same, but each topic was saved at a different time. */
    static OwnerScenario kafkaRestoredByTopic() {
        return named("Kafka restored by topic", kafkaRestored().byTopic());
    }

    /** The store goes back to a backup while members with different bounds run. */
    static OwnerScenario storeRestored() {
        return new OwnerScenario("the store restored")
                .sweeper(0, 0, bound(1))
                .member(0, 0, bound(3))
                .running(0)
                .limit(Limited.START, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.STORE_RESTORE, 1);
    }

    /** Another cluster with the same id, which an operator allows to continue. */
    static OwnerScenario twin() {
        return new OwnerScenario("a cluster with the same id")
                .second(Second.TWIN)
                .member(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0)
                .limit(Limited.START, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.SETTLE, 1);
    }

    /** Another cluster, whose applications have the same names. */
    static OwnerScenario otherCluster() {
        return new OwnerScenario("another cluster")
                .second(Second.OTHER)
                .sweeper(0, 0, bound(1))
                .sweeper(1, 0, bound(1))
                .running(0, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1);
    }

    /** An operator forgets an owner of another cluster that is live. */
    static OwnerScenario forgotten() {
        return new OwnerScenario("an owner of another cluster forgotten")
                .second(Second.OTHER)
                .member(0, 0, bound(1))
                .forgetter(1, 0, 1, bound(1))
                .running(0, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.BROKERS_AWAY, 1);
    }

    /** Two applications of one cluster, and nothing else. */
    static OwnerScenario alone() {
        return new OwnerScenario("alone")
                .sweeper(0, 0, bound(1))
                .member(0, 0, bound(1))
                .member(0, 1, bound(1))
                .running(0, 1, 2)
                .limit(Limited.START, 1)
                .limit(Limited.CRASH, 1)
                .limit(Limited.SEAL, 1)
                .limit(Limited.PURGE, 1);
    }

    private static OwnerScenario named(String name, OwnerScenario other) {
        OwnerScenario scenario = new OwnerScenario(name).second(other.second);
        scenario.instances.addAll(other.instances);
        scenario.limits.putAll(other.limits);
        scenario.running.addAll(other.running);
        scenario.isSplit = other.isSplit;
        scenario.prelude.addAll(other.prelude);
        scenario.isByTopic = other.isByTopic;
        scenario.isFine = other.isFine;
        return scenario;
    }
}
