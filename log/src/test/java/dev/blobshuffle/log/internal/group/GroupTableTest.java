package dev.blobshuffle.log.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.group.GroupTable.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GroupTableTest {
    private static final Member FIRST = member(1);
    private static final Member SECOND = member(2);

    private final Map<LogPartition, Row> stored = new TreeMap<>();
    private final Map<Integer, Integer> topics = new TreeMap<>(Map.of(1, 4));
    private long generation;

    @Test
    void theFirstMemberOwnsEverything() {
        Lease lease = renew(FIRST, List.of(FIRST), Set.of());

        assertThat(lease.owned()).hasSize(4).noneMatch(OwnedPartition::isWanted);
        assertThat(generation).isEqualTo(1);
    }

    @Test
    void aPartitionMovesOnlyWhenItsOwnerReleasesIt() {
        renew(FIRST, List.of(FIRST), Set.of());

        assertThat(renew(SECOND, List.of(FIRST, SECOND), Set.of()).owned()).isEmpty();
        Set<LogPartition> wanted = renew(FIRST, List.of(FIRST, SECOND), Set.of()).owned().stream()
                .filter(OwnedPartition::isWanted)
                .map(OwnedPartition::partition)
                .collect(Collectors.toSet());
        assertThat(wanted).hasSize(2);
        assertThat(renew(FIRST, List.of(FIRST, SECOND), wanted).owned()).hasSize(2);

        List<OwnedPartition> moved =
                renew(SECOND, List.of(FIRST, SECOND), Set.of()).owned();

        assertThat(moved).extracting(OwnedPartition::partition).containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(moved).extracting(OwnedPartition::generation).containsOnly(2L);
    }

    @Test
    void anEndedLeaseRaisesTheGenerationOfItsPartitions() {
        renew(FIRST, List.of(FIRST), Set.of());

        Lease lease = renew(SECOND, List.of(SECOND), Set.of());

        assertThat(lease.owned()).hasSize(4).allMatch(each -> each.generation() == 2);
    }

    @Test
    void aRenewalChangesNothingWhenNothingChanged() {
        renew(FIRST, List.of(FIRST), Set.of());
        long before = generation;

        GroupTable table = new GroupTable("group", generation, List.of(FIRST), stored.values());
        table.renew(FIRST, Set.of(), topics, topic -> homes(topic, List.of(FIRST)));

        assertThat(table.changed()).isEmpty();
        assertThat(table.isReassigned()).isFalse();
        assertThat(table.generation()).isEqualTo(before);
    }

    @Test
    void theOwnerKeepsAPartitionWhoseNextOwnerIsGone() {
        renew(FIRST, List.of(FIRST), Set.of());
        renew(SECOND, List.of(FIRST, SECOND), Set.of());

        Lease lease = renew(FIRST, List.of(FIRST), Set.of());

        assertThat(lease.owned())
                .hasSize(4)
                .noneMatch(OwnedPartition::isWanted)
                .allMatch(each -> each.generation() == 1);
    }

    @Test
    void addedPartitionsGetAnOwner() {
        renew(FIRST, List.of(FIRST), Set.of());
        topics.put(1, 6);

        assertThat(renew(FIRST, List.of(FIRST), Set.of()).owned()).hasSize(6);
    }

    @Test
    void aDeletedTopicHasNoOwner() {
        renew(FIRST, List.of(FIRST), Set.of());
        topics.remove(1);

        assertThat(renew(FIRST, List.of(FIRST), Set.of()).owned()).isEmpty();
    }

    @Test
    void aMemberThatLeavesGivesItsPartitionsToTheOthers() {
        renew(FIRST, List.of(FIRST), Set.of());
        renew(SECOND, List.of(FIRST, SECOND), Set.of());
        GroupTable table = new GroupTable("group", generation, List.of(FIRST, SECOND), stored.values());

        table.leave(FIRST.id(), topics, topic -> homes(topic, List.of(SECOND)));

        assertThat(table.lease(SECOND.id(), Groups.LEASE).owned()).hasSize(4);
        assertThat(table.lease(FIRST.id(), Groups.LEASE).owned()).isEmpty();
    }

    private Lease renew(Member member, Collection<Member> live, Set<LogPartition> released) {
        List<Member> others = new ArrayList<>(live);
        boolean isKnown = stored.values().stream()
                .anyMatch(row -> row.isOwnedBy(member.id())
                        || row.wantedBy().filter(member.id()::equals).isPresent());
        if (!isKnown) {
            others.remove(member);
        }
        GroupTable table = new GroupTable("group", generation, others, stored.values());
        table.renew(member, released, topics, topic -> homes(topic, live));
        table.changed().forEach(row -> stored.put(row.partition(), row));
        generation = table.generation();
        return table.lease(member.id(), Duration.ofSeconds(10));
    }

    private HomeZones homes(int topic, Collection<Member> members) {
        return HomeZones.of(
                topic,
                topics.getOrDefault(topic, 0),
                members.stream().collect(Collectors.toMap(Member::zone, any -> 1, Integer::sum)));
    }

    private static Member member(long id) {
        return new Member("group", new UUID(0, id), new Zone("a"), Set.of(1));
    }
}
