package dev.blobshuffle.core.internal.log.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
    private static final Zone[] ZONES = {new Zone("a"), new Zone("b"), new Zone("c")};

    @Test
    void nobodyReadsWithoutMembers() {
        assertThat(Assignment.of(List.of(), partitions(1, 8), Map.of(), homes(List.of())))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void isBalancedAndSettlesAtOnceWhateverComesAndGoes(long seed) {
        Random random = new Random(seed);
        List<Member> members = new ArrayList<>();
        Map<LogPartition, UUID> owners = Map.of();
        List<LogPartition> partitions = partitions(1, 48 + random.nextInt(50));
        for (int step = 0; step < 60; step++) {
            if (members.isEmpty() || random.nextBoolean()) {
                members.add(member(random, Set.of(1)));
            } else {
                members.remove(random.nextInt(members.size()));
            }
            Map<LogPartition, UUID> next = Assignment.of(members, partitions, owners, homes(members));

            Map<UUID, Integer> counts = counts(members, next);
            int least =
                    counts.values().stream().mapToInt(Integer::intValue).min().orElse(0);
            int most =
                    counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            assertThat(most - least).isLessThanOrEqualTo(1);
            assertThat(next).hasSize(members.isEmpty() ? 0 : partitions.size());
            assertThat(Assignment.of(members, partitions, next, homes(members))).isEqualTo(next);
            owners = next;
        }
    }

    @Test
    void aNewMemberInOneZoneMovesOnlyItsShare() {
        Random random = new Random(7);
        List<Member> members = IntStream.range(0, 5)
                .mapToObj(i -> member(random, ZONES[0], Set.of(1)))
                .collect(Collectors.toCollection(ArrayList::new));
        List<LogPartition> partitions = partitions(1, 60);
        Map<LogPartition, UUID> before = Assignment.of(members, partitions, Map.of(), homes(members));
        members.add(member(random, ZONES[0], Set.of(1)));

        Map<LogPartition, UUID> after = Assignment.of(members, partitions, before, homes(members));

        assertThat(partitions)
                .filteredOn(each -> !before.get(each).equals(after.get(each)))
                .hasSize(10);
    }

    @Test
    void mostPartitionsAreReadInTheirHomeZone() {
        Random random = new Random(8);
        List<Member> members = IntStream.range(0, 9)
                .mapToObj(i -> member(random, ZONES[i % 3], Set.of(1)))
                .toList();
        List<LogPartition> partitions = partitions(1, 288);
        Function<LogPartition, HomeZones> homes = homes(members);
        Map<UUID, Zone> zones = members.stream().collect(Collectors.toMap(Member::id, Member::zone));

        Map<LogPartition, UUID> assigned = Assignment.of(members, partitions, Map.of(), homes);

        long home = partitions.stream()
                .filter(each -> homes.apply(each).zone(each, ZONES[0]).equals(zones.get(assigned.get(each))))
                .count();
        assertThat(home).isGreaterThan(288 * 85 / 100);
    }

    @Test
    void aMemberReadsItsTopicsOnly() {
        Random random = new Random(9);
        Member one = member(random, Set.of(1));
        Member both = member(random, Set.of(1, 2));
        List<LogPartition> partitions = new ArrayList<>(partitions(1, 4));
        partitions.addAll(partitions(2, 8));
        partitions.addAll(partitions(3, 2));

        Map<LogPartition, UUID> assigned =
                Assignment.of(List.of(one, both), partitions, Map.of(), homes(List.of(one, both)));

        assertThat(assigned.keySet()).noneMatch(each -> each.topic() == 3);
        assertThat(assigned).hasSize(12).allSatisfy((partition, reader) -> {
            if (partition.topic() == 2) {
                assertThat(reader).isEqualTo(both.id());
            }
        });
    }

    @Test
    void aReaderMoreMovesFewHomes() {
        Map<Zone, Integer> before = Map.of(ZONES[0], 10, ZONES[1], 10, ZONES[2], 10);
        Map<Zone, Integer> after = Map.of(ZONES[0], 11, ZONES[1], 10, ZONES[2], 10);

        long moved = partitions(1, 10_000).stream()
                .filter(each -> !HomeZones.of(before)
                        .zone(each, ZONES[0])
                        .equals(HomeZones.of(after).zone(each, ZONES[0])))
                .count();

        assertThat(moved).isLessThan(400);
    }

    private static Map<UUID, Integer> counts(Collection<Member> members, Map<LogPartition, UUID> assigned) {
        Map<UUID, Integer> counts = new HashMap<>();
        members.forEach(member -> counts.put(member.id(), 0));
        assigned.values().forEach(reader -> counts.merge(reader, 1, Integer::sum));
        return counts;
    }

    private static Function<LogPartition, HomeZones> homes(Collection<Member> members) {
        HomeZones homes =
                HomeZones.of(members.stream().collect(Collectors.toMap(Member::zone, any -> 1, Integer::sum)));
        return partition -> homes;
    }

    private static Member member(Random random, Set<Integer> topics) {
        return member(random, ZONES[random.nextInt(3)], topics);
    }

    private static Member member(Random random, Zone zone, Set<Integer> topics) {
        return new Member("group", new UUID(random.nextLong(), random.nextLong()), zone, topics);
    }

    private static List<LogPartition> partitions(int topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new LogPartition(topic, i))
                .toList();
    }
}
