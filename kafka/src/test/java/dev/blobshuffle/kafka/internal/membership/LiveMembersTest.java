package dev.blobshuffle.kafka.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PartitionRanges;
import dev.blobshuffle.core.zone.Zone;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Timestamps come from the brokers; no clock is used. */
class LiveMembersTest {
    private static final Zone A = new Zone("a");
    private static final Zone B = new Zone("b");
    private static final Partition P0 = new Partition("t", 0);
    private static final Partition P1 = new Partition("t", 1);

    private final LiveMembers live = members(List.of());

    private static LiveMembers members(List<Member> listed) {
        return new LiveMembers(MembershipTiming.USUAL, listed, MemberSignature.none(), (id, reason) -> {});
    }

    private void tell(long timestamp, long id, Zone zone, Partition... reads) {
        Presence presence = new Presence(
                id, zone, Optional.of(new Endpoint("h", (int) id)), 1, PartitionRanges.of(Arrays.asList(reads)));
        live.heard(PresenceCodec.key(id), PresenceCodec.value(presence), timestamp);
    }

    private List<Long> ids(Zone zone) {
        return live.snapshot().members(zone).stream().map(Member::id).sorted().toList();
    }

    @Test
    void membersAreKnownByZoneAndPartitionsByTheirReadersZone() {
        tell(1_000, 1, A, P0);
        tell(1_001, 2, B, P1);
        tell(1_002, 3, B);

        assertThat(ids(A)).containsExactly(1L);
        assertThat(ids(B)).containsExactly(2L, 3L);
        assertThat(live.snapshot().zoneOf(P0)).contains(A);
        assertThat(live.snapshot().zoneOf(P1)).contains(B);
        assertThat(live.snapshot().zoneOf(new Partition("t", 2))).isEmpty();
    }

    @Test
    void memberThatDoesNotAnswerOthersStillHasAZone() {
        live.heard(
                PresenceCodec.key(1),
                PresenceCodec.value(new Presence(1, A, Optional.empty(), 1, PartitionRanges.of(Set.of(P0)))),
                1_000);

        assertThat(live.snapshot().members()).isEmpty();
        assertThat(live.snapshot().zoneOf(P0)).contains(A);
    }

    @Test
    void memberWithoutAWordForTheTimeToLiveIsDeadWhenOthersSpeak() {
        tell(1_000, 1, A, P0);
        tell(31_000, 2, B, P1);
        assertThat(ids(A)).containsExactly(1L);
        tell(31_001, 2, B, P1);
        assertThat(ids(A)).isEmpty();
        assertThat(live.snapshot().zoneOf(P0)).isEmpty();

        tell(40_000, 1, A, P0);
        assertThat(ids(A)).containsExactly(1L);
    }

    @Test
    void silenceOfAllKillsNobody() {
        tell(1_000, 1, A, P0);
        MemberSnapshot before = live.snapshot();
        for (int i = 0; i < 10; i++) {
            assertThat(live.snapshot()).isSameAs(before);
        }
    }

    @Test
    void memberThatLeavesIsGoneAtOnce() {
        tell(1_000, 1, A, P0);
        live.heard(PresenceCodec.key(1), null, 1_001);
        assertThat(live.snapshot().members()).isEmpty();
        assertThat(live.snapshot().zoneOf(P0)).isEmpty();
    }

    @Test
    void versionMovesWithEveryChangeAndWithNothingElse() {
        tell(1_000, 1, A, P0);
        long first = live.snapshot().version();
        tell(2_000, 1, A, P0);
        assertThat(live.snapshot().version()).isEqualTo(first);
        tell(3_000, 1, B, P0);
        assertThat(live.snapshot().version()).isEqualTo(first + 1);
        tell(34_000, 2, B);
        assertThat(live.snapshot().version()).isEqualTo(first + 2);
        assertThat(ids(B)).containsExactly(2L);
    }

    @Test
    void partitionThatMovesBetweenZonesIsWhereMostReadersAreAndThenTheFirstByName() {
        tell(1_000, 1, B, P0);
        tell(1_001, 2, A, P0);
        assertThat(live.snapshot().zoneOf(P0)).contains(A);
        tell(1_002, 3, B, P0);
        assertThat(live.snapshot().zoneOf(P0)).contains(B);
    }

    @Test
    void topicReadFromItsBeginningAgainBringsNobodyBack() {
        tell(1_000, 1, A, P0);
        tell(5_000, 1, B, P0);
        tell(1_000, 1, A, P0);
        assertThat(live.snapshot().zoneOf(P0)).contains(B);

        tell(90_000, 2, B);
        tell(1_000, 1, A, P0);
        assertThat(ids(A)).isEmpty();
    }

    @Test
    void recordsOfTheLongDeadAreDeletedByTheSmallestSurvivor() {
        long day = Duration.ofDays(1).toMillis();
        tell(1_000, 9, A);
        live.heard(PresenceCodec.key(8), "later version".getBytes(StandardCharsets.UTF_8), 1_000);
        tell(day + 1_000, 2, A);
        tell(day + 1_000, 5, A);
        live.snapshot();
        assertThat(live.toForget(2)).isEmpty();

        tell(day + 1_001, 2, A);
        live.snapshot();
        assertThat(live.toForget(2)).containsExactlyInAnyOrder(8L, 9L);
        assertThat(live.toForget(5)).isEmpty();
    }

    @Test
    void listedMembersLiveForEver() {
        Member cache = new Member(7, new Endpoint("cache", 1), A, Set.of(), 1);
        LiveMembers with = members(List.of(cache));
        assertThat(with.snapshot().members(A)).containsExactly(cache);
        with.heard(PresenceCodec.key(7), null, Long.MAX_VALUE);
        assertThat(with.snapshot().members(A)).containsExactly(cache);
    }

    @Test
    void topicFullOfStrangersFillsNoMemory() {
        for (int id = 0; id < 20_000; id++) {
            live.heard(PresenceCodec.key(id), new byte[] {1}, 1_000);
        }
        tell(1_000, 20_001, A);
        assertThat(ids(A)).containsExactly(20_001L);
        assertThat(live.toForget(1)).isEmpty();
        tell(Duration.ofDays(2).toMillis(), 1, A);
        assertThat(live.toForget(1)).hasSize(10_000);
    }

    /**
     * Values of 73 bytes that name a million partitions each, from the maximum number of members.
     */
    @Test
    void recordsThatNameMillionsOfPartitionsTakeMemoryForTheirRangesOnly() {
        for (int id = 1; id <= 2_000; id++) {
            String value = "blobshuffle-member 1\nzone a\nendpoint 1.2.3.4:1\nformat 1\nreads 0-999998 t\n";
            live.heard(PresenceCodec.key(id), value.getBytes(StandardCharsets.UTF_8), 1_000);
        }
        assertThat(live.snapshot().members()).hasSize(2_000);
        assertThat(live.snapshot().zoneOf(new Partition("t", 999_998))).contains(A);
        assertThat(live.snapshot().zoneOf(new Partition("t", 999_999))).isEmpty();
    }

    @Test
    void allMembersTogetherFillNoMoreMemoryThanTheLimit() {
        List<Long> refused = new ArrayList<>();
        LiveMembers limited = new LiveMembers(
                MembershipTiming.USUAL, List.of(), MemberSignature.none(), (id, why) -> refused.add(id));
        StringBuilder ranges = new StringBuilder("0");
        for (int number = 2; number < 200_000; number += 2) {
            ranges.append(',').append(number);
        }
        byte[] value = ("blobshuffle-member 1\nzone a\nendpoint h:1\nreads " + ranges + " t\n")
                .getBytes(StandardCharsets.UTF_8);
        int ranked = (int) (LiveMembers.MOST_WEIGHT / (value.length + 16 * 100_000));
        for (int id = 1; id <= ranked + 10; id++) {
            limited.heard(PresenceCodec.key(id), value, 1_000);
        }
        assertThat(refused).hasSize(10);
        limited.heard(PresenceCodec.key(1), null, 1_001);
        limited.heard(PresenceCodec.key(5_000), value, 1_002);
        assertThat(limited.snapshot().members()).hasSize(ranked);
        assertThat(refused).hasSize(10);
    }
}
