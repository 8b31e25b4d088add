package dev.blobshuffle.testkit.internal.simulation;

import java.util.EnumSet;
import java.util.Set;

/** What happens to the owners of a store. */
enum OwnersFault {
    /** An instance was killed and started again, perhaps with other settings. */
    PROCESS_KILLED,
    /** An application was stopped, and its owner given up. */
    APPLICATION_STOPPED,
    /** An operator forgot the owner of a stopped application. */
    OWNER_FORGOTTEN,
    /** A claims topic was deleted. */
    CLAIMS_LOST,
    /** A cluster was copied, and instances of the copy started. */
    CLUSTER_COPIED,
    /** A cluster went back to an earlier state. */
    CLUSTER_RESTORED,
    /** An operator ended a contest. */
    CONTEST_SETTLED,
    /** An instance could not reach its brokers for a while. */
    BROKERS_AWAY,
    /** The notifications of a partition did not become visible for a while. */
    ISR_SHORT,
    /** A partition had another leader. */
    LEADER_CHANGED,
    /** A log let go some of its entries. */
    LOG_PURGED,
    /** A topic was deleted and made again. */
    TOPIC_MADE_AGAIN,
    /** An instance had a wrong clock. */
    MEMBER_CLOCK_OFF,
    /** The store's clock was ahead for a while. */
    STORE_CLOCK_AHEAD,
    /** The store's clock was behind for a while. What it stored meanwhile looks old for good. */
    STORE_CLOCK_BEHIND,
    /** The answer to a change of a register was lost. */
    REGISTER_ANSWER_LOST;

    /** Those after which nobody sweeps until an operator acts. */
    static final Set<OwnersFault> ENDING_SWEEPS =
            EnumSet.of(CLAIMS_LOST, CLUSTER_COPIED, CLUSTER_RESTORED, MEMBER_CLOCK_OFF);
}
