package dev.blobshuffle.log.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        assertThat(Assignment.of(List.of(), partitions(1, 8), Map.of(), homes(partitions(1, 8), List.of())))
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
            Map<LogPartition, UUID> next = Assignment.of(members, partitions, owners, homes(partitions, members));

            Map<UUID, Integer> counts = counts(members, next);
            int least =
                    counts.values().stream().mapToInt(Integer::intValue).min().orElse(0);
            int most =
                    counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            assertThat(most - least).isLessThanOrEqualTo(1);
            assertThat(next).hasSize(members.isEmpty() ? 0 : partitions.size());
            assertThat(Assignment.of(members, partitions, next, homes(partitions, members)))
                    .isEqualTo(next);
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
        Map<LogPartition, UUID> before = Assignment.of(members, partitions, Map.of(), homes(partitions, members));
        members.add(member(random, ZONES[0], Set.of(1)));

        Map<LogPartition, UUID> after = Assignment.of(members, partitions, before, homes(partitions, members));

        assertThat(partitions)
                .filteredOn(each -> !before.get(each).equals(after.get(each)))
                .hasSize(10);
    }

    /** This includes numbers that do not divide evenly, and any order of joining. */
    @ParameterizedTest
    @ValueSource(ints = {3, 9, 48, 49, 50, 288, 576})
    void balancedGroupsReadAllPartitionsInTheirHomeZones(int count) {
        Random random = new Random(8);
        List<LogPartition> partitions = partitions(1, count);
        List<List<Member>> groups = new ArrayList<>();
        List<Member> all = new ArrayList<>();
        for (int perZone = 1; perZone <= 3; perZone++) {
            int members = 3 * perZone;
            groups.add(IntStream.range(0, members)
                    .mapToObj(i -> member(random, ZONES[i % 3], Set.of(1)))
                    .toList());
            all.addAll(groups.get(perZone - 1));
        }
        for (List<Member> group : groups) {
            Map<LogPartition, UUID> assigned = Map.of();
            for (int joined = 1; joined <= group.size(); joined++) {
                List<Member> members = group.subList(0, joined);
                assigned = Assignment.of(members, partitions, assigned, homes(partitions, members));
            }
            assigned = Assignment.of(group, partitions, assigned, homes(partitions, all));
            assertThat(away(group, partitions, assigned, homes(partitions, all)))
                    .as("of %d members", group.size())
                    .isEmpty();
        }
    }

    /**
     * For example, if a zone has one more member: then the same partitions leave home in each
     * group.
     */
    @Test
    void partitionsWithoutRoomAtHomeGoToTheSameZoneInEachGroup() {
        Random random = new Random(3);
        List<LogPartition> partitions = partitions(1, 90);
        List<Member> uneven = IntStream.range(0, 4)
                .mapToObj(i -> member(random, ZONES[i % 3], Set.of(1)))
                .toList();
        Function<LogPartition, HomeZones> homes = homes(partitions, uneven);
        Map<LogPartition, Zone> before = Map.of();
        for (int group = 0; group < 5; group++) {
            List<Member> even = IntStream.range(0, 3)
                    .mapToObj(i -> member(random, ZONES[i], Set.of(1)))
                    .toList();
            Map<UUID, Zone> zones = even.stream().collect(Collectors.toMap(Member::id, Member::zone));
            Map<LogPartition, Zone> read = Assignment.of(even, partitions, Map.of(), homes).entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, each -> zones.get(each.getValue())));
            assertThat(away(even, partitions, Assignment.of(even, partitions, Map.of(), homes), homes))
                    .hasSize(15);
            if (group > 0) {
                assertThat(read).isEqualTo(before);
            }
            before = read;
        }
    }

    @Test
    void aZoneIsHomeToItsReadersShare() {
        Map<Zone, Integer> readers = Map.of(ZONES[0], 2, ZONES[1], 1, ZONES[2], 1);
        HomeZones homes = HomeZones.of(1, 49, readers);

        Map<Zone, Long> counts =
                partitions(1, 49).stream().collect(Collectors.groupingBy(homes::zone, Collectors.counting()));

        assertThat(counts.get(ZONES[0])).isBetween(24L, 25L);
        assertThat(counts.get(ZONES[1])).isBetween(12L, 13L);
        assertThat(counts.get(ZONES[2])).isBetween(12L, 13L);
    }

    /** Instances of neighbouring versions must derive the same homes. */
    @Test
    void homesDoNotChangeWithTheVersion() {
        HomeZones homes = HomeZones.of(7, 20, Map.of(ZONES[0], 1, ZONES[1], 1, ZONES[2], 1));
        assertThat(partitions(7, 20).stream()
                        .map(each -> homes.zone(each).name())
                        .collect(Collectors.joining()))
                .isEqualTo("cacaccbbaababbbaccab");
    }

    @Test
    void theLargestRemainderGetsThePartitionThatIsLeft() {
        for (int larger = 0; larger < 2; larger++) {
            HomeZones homes = HomeZones.of(1, 4, Map.of(ZONES[larger], 2, ZONES[1 - larger], 1));
            Zone most = ZONES[larger];
            assertThat(partitions(1, 4))
                    .filteredOn(each -> most.equals(homes.zone(each)))
                    .hasSize(3);
        }
    }

    @Test
    void aPartitionAwayFromHomeStaysWithItsOwner() {
        Random random = new Random(5);
        List<Member> members = List.of(member(random, ZONES[1], Set.of(1)), member(random, ZONES[1], Set.of(1)));
        List<LogPartition> partitions = partitions(1, 10);
        List<Member> elsewhere = List.of(member(random, ZONES[0], Set.of(1)));
        for (int first = 0; first < 2; first++) {
            Map<LogPartition, UUID> owners = new HashMap<>();
            for (LogPartition each : partitions) {
                owners.put(
                        each,
                        members.get(each.partition() < 5 ? first : 1 - first).id());
            }
            assertThat(Assignment.of(members, partitions, owners, homes(partitions, elsewhere)))
                    .isEqualTo(owners);
        }
    }

    /** Whoever owns one partition more keeps it, with homes and without. */
    @Test
    void unevenSharesStayWhereTheyAre() {
        Random random = new Random(6);
        List<Member> members = IntStream.range(0, 3)
                .mapToObj(i -> member(random, ZONES[0], Set.of(1)))
                .toList();
        List<LogPartition> partitions = partitions(1, 7);
        for (int most = 0; most < 3; most++) {
            Map<LogPartition, UUID> owners = new HashMap<>();
            for (LogPartition each : partitions) {
                owners.put(each, members.get((each.partition() + most) % 3).id());
            }
            assertThat(Assignment.of(members, partitions, owners, homes(partitions, members)))
                    .isEqualTo(owners);
            assertThat(Assignment.of(members, partitions, owners, any -> HomeZones.none()))
                    .isEqualTo(owners);
        }
    }

    private static List<LogPartition> away(
            List<Member> members,
            List<LogPartition> partitions,
            Map<LogPartition, UUID> assigned,
            Function<LogPartition, HomeZones> homes) {
        Map<UUID, Zone> zones = members.stream().collect(Collectors.toMap(Member::id, Member::zone));
        return partitions.stream()
                .filter(each ->
                        !zones.get(assigned.get(each)).equals(homes.apply(each).zone(each)))
                .toList();
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
                Assignment.of(List.of(one, both), partitions, Map.of(), homes(partitions, List.of(one, both)));

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

        HomeZones then = HomeZones.of(1, 10_000, before);
        HomeZones now = HomeZones.of(1, 10_000, after);
        long moved = partitions(1, 10_000).stream()
                .filter(each -> !Objects.equals(then.zone(each), now.zone(each)))
                .count();

        assertThat(moved).isLessThan(400);
    }

    private static Map<UUID, Integer> counts(Collection<Member> members, Map<LogPartition, UUID> assigned) {
        Map<UUID, Integer> counts = new HashMap<>();
        members.forEach(member -> counts.put(member.id(), 0));
        assigned.values().forEach(reader -> counts.merge(reader, 1, Integer::sum));
        return counts;
    }

    private static Function<LogPartition, HomeZones> homes(List<LogPartition> partitions, Collection<Member> members) {
        Map<Integer, HomeZones> homes = new HashMap<>();
        partitions.stream()
                .collect(Collectors.groupingBy(LogPartition::topic, Collectors.counting()))
                .forEach((topic, count) -> homes.put(
                        topic,
                        HomeZones.of(
                                topic,
                                count.intValue(),
                                members.stream()
                                        .filter(member -> member.topics().contains(topic))
                                        .collect(Collectors.toMap(Member::zone, any -> 1, Integer::sum)))));
        return partition -> homes.getOrDefault(partition.topic(), HomeZones.none());
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
