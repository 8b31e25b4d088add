package dev.blobshuffle.log.internal.group;

import dev.blobshuffle.core.zone.Zone;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The consumer groups of a log. A member holds a lease by the log's clock and renews it. Partitions
 * move cooperatively: the owner finishes and releases them before the next owner takes over. When a
 * member's lease ends, its partitions get a new owner with a higher generation, which fences the
 * old owner's commits. Thread-safe.
 *
 * <p>All steps lock the rows of one group in the same order: the group, its members, its partitions
 * by topic and number.
 */
public interface Groups {
    /** How long a lease is valid. Members renew it after a third of this time at the latest. */
    Duration LEASE = Duration.ofSeconds(10);

    /**
     * Joins a group, or renews the lease. Assigns partitions if members or partitions have changed.
     *
     * @param released partitions that the member gives back, whose positions are committed
     * @return the partitions that the member owns from now on
     */
    CompletionStage<Lease> renew(Member member, Set<LogPartition> released);

    /** Leaves a group: gives back all partitions. The caller has committed their positions. */
    CompletionStage<Void> leave(Member member);

    /**
     * Commits positions outside a publish. Fails with {@code ConsumerFencedException}: nothing is
     * committed.
     */
    CompletionStage<Void> commit(Consumed consumed);

    /**
     * Sets positions of a group. Fails with {@code IllegalStateException} while the group has a
     * member.
     *
     * @param positions as {@code LogPosition.value()}
     */
    CompletionStage<Void> seek(String group, Map<LogPartition, Long> positions);

    /** The current state of the group; empty: it does not exist. */
    CompletionStage<Optional<GroupDescription>> describe(String group);

    /** The names of all groups. */
    CompletionStage<List<String>> list();

    /**
     * Deletes a group and its positions. Fails with {@code IllegalStateException} while the group
     * has a member.
     *
     * @return whether there was such a group
     */
    CompletionStage<Boolean> delete(String group);

    /**
     * The number of members of any group that read a topic, by zone. {@code HomeZones} derives from
     * it, identically in each instance, the zone by which a writer groups a partition's records.
     */
    CompletionStage<Map<Zone, Integer>> zones(int topic);
}
