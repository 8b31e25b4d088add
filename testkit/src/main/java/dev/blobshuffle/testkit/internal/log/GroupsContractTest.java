package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.failure.ConsumerFencedException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.LogPosition;
import dev.blobshuffle.log.internal.LogTopic;
import dev.blobshuffle.log.internal.RetentionRule;
import dev.blobshuffle.log.internal.Writer;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.Consumed.ConsumedPosition;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupDescription.GroupPartition;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.log.internal.group.HomeZones;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of {@link Groups}: one subclass per log. */
public abstract class GroupsContractTest extends LogContract {
    private static final Zone EAST = new Zone("east");
    private static final Zone WEST = new Zone("west");

    /** {@code -Dblobshuffle.test.members=200} makes the group as large as groups may be. */
    private static final int MANY = Integer.getInteger("blobshuffle.test.members", 60);

    private static final Duration EXPIRY = Groups.LEASE.plusSeconds(1);

    private long ids;
    private long takenBackAt = System.nanoTime();

    private Member member(String group, Zone zone, LogTopic... topics) {
        Set<Integer> numbers = new HashSet<>();
        for (LogTopic topic : topics) {
            numbers.add(topic.number());
        }
        return new Member(group, new UUID(7, ++ids), zone, numbers);
    }

    private static Lease renew(CommitLog log, Member member) {
        return join(log.groups().renew(member, Set.of()));
    }

    /** Renews, and releases the partitions that other members want. */
    private static Lease handOver(CommitLog log, Member member) {
        Set<LogPartition> wanted = renew(log, member).owned().stream()
                .filter(OwnedPartition::isWanted)
                .map(OwnedPartition::partition)
                .collect(Collectors.toSet());
        return wanted.isEmpty() ? renew(log, member) : join(log.groups().renew(member, wanted));
    }

    /**
     * Lets members renew and release until no partition moves. Returns the lease of each member.
     */
    private Map<Member, Lease> settle(CommitLog log, List<Member> members) {
        Map<Member, Lease> before = Map.of();
        for (int round = 0; round < 50; round++) {
            Map<Member, Lease> leases = new LinkedHashMap<>();
            for (Member member : members) {
                leases.put(member, handOver(log, member));
                takeTimeBack();
            }
            boolean isQuiet = leases.values().stream()
                    .flatMap(lease -> lease.owned().stream())
                    .noneMatch(OwnedPartition::isWanted);
            if (isQuiet && leases.equals(before)) {
                return leases;
            }
            before = leases;
        }
        throw new AssertionError("The group does not settle.");
    }

    /**
     * Sets the log's clock back by the time since the test began or this method was called last. So
     * no lease ends because a machine is slow.
     */
    private void takeTimeBack() {
        long now = System.nanoTime();
        tested().shiftClock(Duration.ofNanos(takenBackAt - now));
        takenBackAt = now;
    }

    private static Set<LogPartition> partitions(Lease lease) {
        return lease.owned().stream().map(OwnedPartition::partition).collect(Collectors.toSet());
    }

    /** Each partition of a topic has one owner. */
    private static void assertComplete(Map<Member, Lease> leases, LogTopic topic) {
        List<LogPartition> owned = leases.values().stream()
                .flatMap(lease -> partitions(lease).stream())
                .filter(partition -> partition.topic() == topic.number())
                .toList();
        assertThat(owned).doesNotHaveDuplicates().hasSize(topic.partitions());
    }

    private static GroupDescription describe(CommitLog log, String group) {
        return join(log.groups().describe(group)).orElseThrow();
    }

    private static void commitPosition(CommitLog log, Member member, OwnedPartition owned, long sequence) {
        join(log.groups()
                .commit(consumed(member.group(), member.id(), owned, sequence))
                .thenApply(done -> true));
    }

    private static OptionalLong at(long sequence) {
        return OptionalLong.of(new LogPosition(sequence, 0).value());
    }

    // ---- members

    @Test
    void aSingleMemberOwnsEveryPartition() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 5);
        Member member = member("billing", EAST, topic);
        Lease lease = renew(log, member);
        assertThat(lease.validFor()).isPositive().isLessThanOrEqualTo(Groups.LEASE);
        assertThat(partitions(lease))
                .isEqualTo(IntStream.range(0, 5)
                        .mapToObj(i -> new LogPartition(topic.number(), i))
                        .collect(Collectors.toSet()));
        assertThat(lease.owned())
                .allSatisfy(owned -> assertThat(owned.position()).isEmpty())
                .allSatisfy(owned -> assertThat(owned.metadata()).isEmpty())
                .noneMatch(OwnedPartition::isWanted);
        Lease again = renew(log, member);
        assertThat(again.owned()).isEqualTo(lease.owned());
        assertThat(again.generation()).isEqualTo(lease.generation());
    }

    @Test
    void aPartitionMovesWhenItsOwnerHasReleasedItAndStartsAtItsPosition() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 4);
        Member old = member("billing", EAST, topic);
        Member other = member("billing", EAST, topic);
        Lease before = renew(log, old);
        before.owned().forEach(owned -> commitPosition(log, old, owned, 3));
        assertThat(renew(log, other).owned()).isEmpty();
        Lease during = renew(log, old);
        assertThat(during.generation()).isGreaterThan(before.generation());
        List<OwnedPartition> wanted =
                during.owned().stream().filter(OwnedPartition::isWanted).toList();
        assertThat(during.owned()).hasSize(4);
        assertThat(wanted).hasSize(2);
        assertThat(renew(log, other).owned()).as("before the release").isEmpty();
        wanted.forEach(owned -> commitPosition(log, old, owned, 9));
        assertThat(partitions(handOver(log, old))).hasSize(2);
        Lease after = renew(log, other);
        assertThat(partitions(after))
                .isEqualTo(wanted.stream().map(OwnedPartition::partition).collect(Collectors.toSet()));
        for (OwnedPartition owned : after.owned()) {
            assertThat(owned.position()).isEqualTo(at(9));
            assertThat(owned.generation()).isGreaterThan(wanted.get(0).generation());
            commitPosition(log, other, owned, 11);
        }
        for (OwnedPartition owned : wanted) {
            assertThatThrownBy(() -> commitPosition(log, old, owned, 10)).isInstanceOf(ConsumerFencedException.class);
        }
        assertThat(renew(log, other).owned())
                .allSatisfy(owned -> assertThat(owned.position()).isEqualTo(at(11)));
    }

    @Test
    void whoLeavesGivesItsPartitionsToTheOthers() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 6);
        Member leaver = member("billing", EAST, topic);
        Member stayer = member("billing", WEST, topic);
        Map<Member, Lease> leases = settle(log, List.of(leaver, stayer));
        OwnedPartition lost = lease(leases, leaver).owned().get(0);
        join(log.groups().leave(leaver).thenApply(done -> true));
        assertThat(renew(log, stayer).owned()).hasSize(6);
        assertThatThrownBy(() -> commitPosition(log, leaver, lost, 1)).isInstanceOf(ConsumerFencedException.class);
        assertThat(describe(log, "billing").members()).containsExactly(stayer);
        join(log.groups().leave(stayer).thenApply(done -> true));
        assertThat(describe(log, "billing").members()).isEmpty();
        assertThat(renew(log, leaver).owned()).hasSize(6);
    }

    private static Lease lease(Map<Member, Lease> leases, Member member) {
        Lease lease = leases.get(member);
        if (lease == null) {
            throw new AssertionError("No lease of " + member + ".");
        }
        return lease;
    }

    @Test
    void aMemberThatDoesNotRenewLosesItsPartitionsAndCannotCommit() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 4);
        Member zombie = member("billing", EAST, topic);
        Member heir = member("billing", EAST, topic);
        Lease lost = renew(log, zombie);
        lost.owned().forEach(owned -> commitPosition(log, zombie, owned, 5));
        tested().shiftClock(EXPIRY);
        assertThat(describe(log, "billing").members()).isEmpty();
        Lease lease = renew(log, heir);
        assertThat(lease.owned())
                .hasSize(4)
                .allSatisfy(owned -> assertThat(owned.position()).isEqualTo(at(5)));
        for (OwnedPartition owned : lost.owned()) {
            assertThatThrownBy(() -> commitPosition(log, zombie, owned, 6)).isInstanceOf(ConsumerFencedException.class);
        }
        assertThat(describe(log, "billing").members()).containsExactly(heir);
    }

    @Test
    void whoGetsAPartitionBackCannotCommitWithItsOldGeneration() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Member zombie = member("billing", EAST, topic);
        Member heir = member("billing", EAST, topic);
        OwnedPartition old = renew(log, zombie).owned().get(0);
        tested().shiftClock(EXPIRY);
        OwnedPartition between = renew(log, heir).owned().get(0);
        commitPosition(log, heir, between, 8);
        join(log.groups().leave(heir).thenApply(done -> true));
        OwnedPartition back = renew(log, zombie).owned().get(0);
        assertThat(back.position()).isEqualTo(at(8));
        assertThat(back.generation()).isGreaterThan(between.generation());
        assertThat(between.generation()).isGreaterThan(old.generation());
        assertThatThrownBy(() -> commitPosition(log, zombie, old, 3)).isInstanceOf(ConsumerFencedException.class);
        commitPosition(log, zombie, back, 9);
    }

    @Test
    void renewingKeepsALease() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 2);
        Member member = member("billing", EAST, topic);
        Lease first = renew(log, member);
        for (int i = 0; i < 6; i++) {
            tested().shiftClock(Groups.LEASE.dividedBy(2));
            assertThat(renew(log, member).owned()).isEqualTo(first.owned());
        }
        assertThat(describe(log, "billing").members()).containsExactly(member);
    }

    @Test
    void aDatabaseThatIsAwayMovesNoPartition() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 6);
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(member("billing", EAST, topic));
        }
        Map<Member, Lease> before = settle(log, members);
        tested().shiftClock(Duration.ofSeconds(30));
        for (Member member : members) {
            assertThat(renew(log, member).owned())
                    .isEqualTo(before.getOrDefault(member, new Lease(0, Groups.LEASE, List.of(), Set.of()))
                            .owned());
        }
        assertThat(describe(log, "billing").members()).hasSize(3);
    }

    @Test
    void whoDiesWhileTheDatabaseIsAwayIsFoundLater() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 6);
        List<Member> members = List.of(member("billing", EAST, topic), member("billing", EAST, topic));
        settle(log, members);
        tested().shiftClock(Duration.ofSeconds(30));
        assertThat(renew(log, members.get(0)).owned()).hasSize(3);
        tested().shiftClock(Groups.LEASE.dividedBy(2));
        assertThat(renew(log, members.get(0)).owned()).hasSize(3);
        tested().shiftClock(Groups.LEASE.dividedBy(2).plusSeconds(1));
        assertThat(renew(log, members.get(0)).owned()).hasSize(6);
    }

    @Test
    void aNewMemberTakesOverWhenAllOthersAreGone() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 6);
        settle(log, List.of(member("billing", EAST, topic), member("billing", EAST, topic)));
        tested().shiftClock(EXPIRY);
        assertThat(renew(log, member("billing", EAST, topic)).owned()).hasSize(6);
    }

    // ---- assignment

    @Test
    void partitionsAreBalancedAndMoveAsLittleAsNeeded() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 11);
        List<Member> members = new ArrayList<>();
        Map<Member, Lease> before = Map.of();
        for (int count = 1; count <= 5; count++) {
            members.add(member("billing", Zone.SINGLE, topic));
            Map<Member, Lease> leases = settle(log, members);
            assertComplete(leases, topic);
            assertThat(leases.values())
                    .allSatisfy(lease -> assertThat(lease.owned().size())
                            .isBetween(11 / members.size(), (10 + members.size()) / members.size()));
            before.forEach(
                    (member, lease) -> assertThat(partitions(lease)).containsAll(partitions(lease(leases, member))));
            before = leases;
        }
        Member leaver = members.remove(2);
        join(log.groups().leave(leaver).thenApply(done -> true));
        Map<Member, Lease> after = settle(log, members);
        assertComplete(after, topic);
        for (Member member : members) {
            assertThat(partitions(lease(after, member))).containsAll(partitions(lease(before, member)));
        }
    }

    @Test
    void membersGetPartitionsOfTheTopicsTheyRead() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 3);
        LogTopic bills = topic(log, "bills", 3);
        Member first = member("billing", EAST, orders);
        Member second = member("billing", EAST, orders, bills);
        Map<Member, Lease> leases = settle(log, List.of(first, second));
        assertComplete(leases, orders);
        assertComplete(leases, bills);
        assertThat(partitions(lease(leases, first))).allMatch(partition -> partition.topic() == orders.number());
        assertThat(partitions(lease(leases, second)))
                .filteredOn(partition -> partition.topic() == bills.number())
                .hasSize(3);
    }

    @Test
    void newPartitionsAndNewTopicsAreAssignedAtTheNextRenewal() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 2);
        Member member = member("billing", EAST, orders);
        assertThat(renew(log, member).owned()).hasSize(2);
        join(log.topics().change(orders.number(), 5, new RetentionRule.Forever()));
        assertThat(renew(log, member).owned()).hasSize(5);
        assertThatThrownBy(() -> join(log.topics().change(orders.number(), 4, new RetentionRule.Forever())))
                .isInstanceOf(IllegalArgumentException.class);
        LogTopic bills = topic(log, "bills", 1);
        Member more = new Member("billing", member.id(), EAST, Set.of(orders.number(), bills.number()));
        assertThat(renew(log, more).owned()).hasSize(6);
    }

    @Test
    void thePartitionsOfADeletedTopicAreGone() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 2);
        LogTopic bills = topic(log, "bills", 1);
        Member member = member("billing", EAST, orders, bills);
        OwnedPartition lost = renew(log, member).owned().get(0);
        assertThat(lost.partition().topic()).isEqualTo(orders.number());
        assertThat(join(log.topics().delete("orders"))).isTrue();
        assertThatThrownBy(() -> commitPosition(log, member, lost, 1)).isInstanceOf(ConsumerFencedException.class);
        assertThat(partitions(renew(log, member))).containsExactly(new LogPartition(bills.number(), 0));
    }

    /** Each has one partition of each topic, so the deletion leaves nothing to assign. */
    @Test
    void everyMemberHearsOfADeletedTopicThoughNoPartitionMoves() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 2);
        LogTopic bills = topic(log, "bills", 2);
        Member first = member("billing", EAST, orders, bills);
        Member second = member("billing", EAST, orders, bills);
        settle(log, List.of(first, second));
        assertThat(partitions(renew(log, first))).hasSize(2);
        assertThat(join(log.topics().delete("orders"))).isTrue();
        assertThat(renew(log, first).absent()).containsExactly(orders.number());
        assertThat(renew(log, second).absent()).containsExactly(orders.number());
        assertThat(renew(log, second).absent()).containsExactly(orders.number());
    }

    @Test
    void everyMemberHearsOfADeletedTopicWhoeverRenewsFirst() {
        CommitLog log = connect();
        LogTopic orders = topic(log, "orders", 4);
        LogTopic bills = topic(log, "bills", 2);
        Member first = member("billing", EAST, orders, bills);
        Member second = member("billing", EAST, orders, bills);
        settle(log, List.of(first, second));
        assertThat(join(log.topics().delete("orders"))).isTrue();
        assertThat(renew(log, first).absent()).containsExactly(orders.number());
        assertThat(renew(log, second).absent()).containsExactly(orders.number());
        assertThat(renew(log, second).absent()).containsExactly(orders.number());
    }

    @Test
    void groupsShareTheHomeZonesOfATopic() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 12);
        List<Member> billing = List.of(member("billing", EAST, topic), member("billing", WEST, topic));
        List<Member> audit = List.of(member("audit", EAST, topic), member("audit", WEST, topic));
        settle(log, billing);
        settle(log, audit);
        settle(log, billing);
        assertThat(join(log.groups().zones(topic.number()))).containsOnly(Map.entry(EAST, 2), Map.entry(WEST, 2));
        for (List<Member> group : List.of(billing, audit)) {
            assertThat(partitionsAwayFromHome(log, settle(log, group), topic)).isZero();
        }
        tested().shiftClock(EXPIRY);
        assertThat(join(log.groups().zones(topic.number()))).isEmpty();
    }

    /** Whatever other groups do while a group is assigned, all agree in the end. */
    @Test
    void aGroupFollowsTheHomeZonesThatOtherGroupsChange() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 13);
        List<Member> billing = List.of(member("billing", EAST, topic), member("billing", WEST, topic));
        List<Member> audit =
                List.of(member("audit", EAST, topic), member("audit", EAST, topic), member("audit", WEST, topic));
        settle(log, audit);
        settle(log, billing);
        assertComplete(settle(log, billing), topic);
        join(log.groups().leave(audit.get(0)));
        Map<Member, Lease> leases = settle(log, billing);
        settle(log, List.of(audit.get(1), audit.get(2)));
        for (int i = 0; i < 12; i++) {
            leases = settle(log, billing);
        }
        assertComplete(leases, topic);
        assertThat(partitionsAwayFromHome(log, leases, topic)).isZero();
        long settled = join(log.groups().describe("billing")).orElseThrow().generation();
        for (int i = 0; i < 12; i++) {
            assertThat(settle(log, billing).keySet()).hasSize(2);
        }
        assertThat(join(log.groups().describe("billing")).orElseThrow().generation())
                .isEqualTo(settled);
    }

    private static long partitionsAwayFromHome(CommitLog log, Map<Member, Lease> leases, LogTopic topic) {
        HomeZones homes = HomeZones.of(
                topic.number(), topic.partitions(), join(log.groups().zones(topic.number())));
        return leases.entrySet().stream()
                .flatMap(each -> partitions(each.getValue()).stream()
                        .filter(partition -> !each.getKey().zone().equals(homes.zone(partition))))
                .count();
    }

    // ---- positions

    @Test
    void positionsOfSeveralPartitionsAreCommittedAllOrNone() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 2);
        Member member = member("billing", EAST, topic);
        List<OwnedPartition> owned = renew(log, member).owned();
        List<ConsumedPosition> right = positions(owned, 0);
        List<ConsumedPosition> wrong = positions(owned, 1);
        assertThatThrownBy(() -> join(log.groups()
                        .commit(new Consumed("billing", member.id(), List.of(right.get(0), wrong.get(1))))
                        .thenApply(done -> true)))
                .isInstanceOf(ConsumerFencedException.class);
        assertThat(renew(log, member).owned())
                .allSatisfy(each -> assertThat(each.position()).isEmpty());
        join(log.groups()
                .commit(new Consumed("billing", member.id(), List.of(right.get(1), right.get(0))))
                .thenApply(done -> true));
        assertThat(renew(log, member).owned())
                .allSatisfy(each -> assertThat(each.position()).isEqualTo(at(4)))
                .allSatisfy(each -> assertThat(each.metadata()).contains("note"));
    }

    private static List<ConsumedPosition> positions(List<OwnedPartition> owned, int generationsAhead) {
        return owned.stream()
                .map(each -> new ConsumedPosition(
                        each.partition(),
                        each.generation() + generationsAhead,
                        new LogPosition(4, 0).value(),
                        Optional.of("note")))
                .toList();
    }

    @Test
    void whoIsNoMemberCannotCommit() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Member member = member("billing", EAST, topic);
        OwnedPartition owned = renew(log, member).owned().get(0);
        Member stranger = member("billing", EAST, topic);
        Member elsewhere = new Member("audit", member.id(), EAST, member.topics());
        assertThatThrownBy(() -> commitPosition(log, stranger, owned, 1)).isInstanceOf(ConsumerFencedException.class);
        assertThatThrownBy(() -> commitPosition(log, elsewhere, owned, 1)).isInstanceOf(ConsumerFencedException.class);
    }

    @Test
    void positionsCommitWithTheBatchesOfAPublisher() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 1);
        Writer writer = join(log.open("a"));
        Member member = member("billing", EAST, topic);
        OwnedPartition owned = renew(log, member).owned().get(0);
        publish(writer, 0, topic, consumed("billing", member.id(), owned, 2));
        assertThat(renew(log, member).owned().get(0).position()).isEqualTo(at(2));
        publish(writer, 1, topic, consumed("billing", member.id(), owned, 5));
        publish(writer, 0, topic, consumed("billing", member.id(), owned, 2));
        assertThat(renew(log, member).owned().get(0).position())
                .as("a repeated commit changes nothing")
                .isEqualTo(at(5));
        tested().shiftClock(EXPIRY);
        renew(log, member("billing", EAST, topic));
        assertThatThrownBy(() -> publish(writer, 2, topic, consumed("billing", member.id(), owned, 7)))
                .isInstanceOf(ConsumerFencedException.class);
        sequence(log, topic);
        assertThat(entries(log, topic, 0)).containsExactly("0", "1");
        commit(writer, 2, batch(topic, "the number is free"));
    }

    private static void publish(Writer writer, long number, LogTopic topic, Consumed consumed) {
        join(writer.commit(number, List.of(batch(topic, "" + number)), Optional.of(consumed)));
    }

    @Test
    void aGroupWithoutMembersCanSeekAndBeDeleted() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 2);
        LogPartition partition = new LogPartition(topic.number(), 1);
        assertThat(join(log.groups().describe("billing"))).isEmpty();
        assertThat(join(log.groups().delete("billing"))).isFalse();
        seek(log, partition, 6);
        assertThat(join(log.groups().list())).containsExactly("billing");
        Member member = member("billing", EAST, topic);
        OwnedPartition owned = renew(log, member).owned().get(1);
        assertThat(owned.position()).isEqualTo(at(6));
        assertThatThrownBy(() -> seek(log, partition, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> join(log.groups().delete("billing"))).isInstanceOf(IllegalStateException.class);
        tested().shiftClock(EXPIRY);
        seek(log, partition, 2);
        assertThatThrownBy(() -> commitPosition(log, member, owned, 9))
                .as("a zombie must not undo the seek")
                .isInstanceOf(ConsumerFencedException.class);
        assertThat(describe(log, "billing").partitions().stream()
                        .filter(each -> each.partition().equals(partition))
                        .map(GroupPartition::position))
                .containsExactly(at(2));
        assertThat(join(log.groups().delete("billing"))).isTrue();
        assertThat(join(log.groups().list())).isEmpty();
        assertThat(renew(log, member).owned().get(1).position()).isEmpty();
    }

    private static void seek(CommitLog log, LogPartition partition, long sequence) {
        join(log.groups()
                .seek("billing", Map.of(partition, new LogPosition(sequence, 0).value()))
                .thenApply(done -> true));
    }

    // ---- size and concurrency

    @Test
    void membersThatJoinAtOnceShareThePartitions() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 16);
        List<Member> members = new ArrayList<>();
        List<Runnable> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Member member = member("billing", i % 2 == 0 ? EAST : WEST, topic);
            CommitLog client = connect();
            members.add(member);
            calls.add(() -> {
                for (int round = 0; round < 5; round++) {
                    Lease ignored = handOver(client, member);
                }
            });
        }
        together(calls);
        Map<Member, Lease> leases = settle(log, members);
        assertComplete(leases, topic);
        assertThat(leases.values())
                .allSatisfy(lease -> assertThat(lease.owned()).hasSize(2));
    }

    @Test
    void aGroupOfManyMembersSettles() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", MANY * 5 / 2);
        List<Member> members = IntStream.range(0, MANY)
                .mapToObj(i -> member("billing", i % 3 == 0 ? EAST : WEST, topic))
                .toList();
        Map<Member, Lease> leases = settle(log, members);
        assertComplete(leases, topic);
        assertThat(leases.values())
                .allSatisfy(lease -> assertThat(lease.owned().size()).isBetween(2, 3));
    }

    @Test
    void tenThousandPartitionsAreAssignedAndCommitted() {
        CommitLog log = connect();
        LogTopic topic = topic(log, "orders", 10_000);
        List<Member> members = List.of(member("billing", EAST, topic), member("billing", WEST, topic));
        Map<Member, Lease> leases = settle(log, members);
        assertComplete(leases, topic);
        for (Member member : members) {
            List<OwnedPartition> owned = lease(leases, member).owned();
            assertThat(owned).hasSize(5_000);
            join(log.groups()
                    .commit(new Consumed("billing", member.id(), positions(owned, 0)))
                    .thenApply(done -> true));
        }
        assertThat(describe(log, "billing").partitions())
                .hasSize(10_000)
                .allSatisfy(each -> assertThat(each.position()).isEqualTo(at(4)));
    }
}
