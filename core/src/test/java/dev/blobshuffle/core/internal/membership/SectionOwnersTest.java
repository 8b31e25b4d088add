package dev.blobshuffle.core.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SectionOwnersTest {
    private static final Zone ZONE = new Zone("a");
    private final Random random = new Random(5);

    private static Member member(long id) {
        return new Member(id, new Endpoint("host-" + id, 7400), ZONE, Set.of(), 1);
    }

    private List<Member> members(int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(member(random.nextLong()));
        }
        return members;
    }

    private static Member owner(List<Member> members, BlobId blob, long section) {
        return SectionOwners.owner(members, blob, section, member -> true).orElseThrow();
    }

    @Test
    void whoKnowsTheSameMembersNamesTheSameOwner() {
        List<Member> members = members(7);
        List<Member> shuffled = new ArrayList<>(members);
        Collections.shuffle(shuffled, random);
        for (int i = 0; i < 1000; i++) {
            BlobId blob = new BlobId(29_700_000, random.nextLong(), i);
            assertThat(owner(shuffled, blob, i)).isEqualTo(owner(members, blob, i));
        }
    }

    @Test
    void everyMemberOwnsItsShare() {
        List<Member> members = members(5);
        Map<Member, Integer> owned = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            owned.merge(owner(members, new BlobId(29_700_000, 42, i), 0), 1, Integer::sum);
        }
        assertThat(owned.values())
                .hasSize(5)
                .allSatisfy(count -> assertThat(count).isBetween(1800, 2200));
    }

    @Test
    void aMemberThatLeavesChangesTheOwnerOfItsOwnSectionsOnly() {
        List<Member> members = members(6);
        Member leaving = members.get(3);
        List<Member> left = members.stream().filter(member -> member != leaving).toList();
        for (int i = 0; i < 1000; i++) {
            BlobId blob = new BlobId(29_700_000, 42, i);
            Member before = owner(members, blob, 0);
            Member after = owner(left, blob, 0);
            assertThat(before.equals(leaving) || before.equals(after)).isTrue();
            assertThat(SectionOwners.owner(members, blob, 0, member -> member != leaving))
                    .contains(after);
        }
    }

    @Test
    void theWriterOwnsWhatItWrote() {
        List<Member> members = members(5);
        BlobId blob = new BlobId(29_700_000, members.get(2).id(), 17);
        assertThat(owner(members, blob, 0)).isEqualTo(members.get(2));
        assertThat(SectionOwners.owner(members, blob, 0, member -> member != members.get(2)))
                .isPresent()
                .get()
                .isNotEqualTo(members.get(2));
    }

    @Test
    void nobodyOwnsWhereNobodyIsUsable() {
        BlobId blob = new BlobId(29_700_000, 1, 17);
        assertThat(SectionOwners.owner(List.of(), blob, 0, member -> true)).isEmpty();
        assertThat(SectionOwners.owner(members(4), blob, 0, member -> false)).isEmpty();
    }

    @Test
    void anEndpointIsReadAsItIsWritten() {
        assertThat(Endpoint.parse("10.0.0.7:7400")).isEqualTo(new Endpoint("10.0.0.7", 7400));
        assertThat(Endpoint.parse("[::1]:0")).isEqualTo(new Endpoint("::1", 0)).hasToString("[::1]:0");
        for (String wrong : List.of("", "host", ":1", "host:", "host:65536", "host:-1", "::1:80", "host:http")) {
            assertThatThrownBy(() -> Endpoint.parse(wrong)).isInstanceOf(InvalidSettingsException.class);
        }
    }

    @Test
    void aListOfCachesIsTheSameForAllWhoReadIt() {
        List<Member> caches = FixedZoneMap.caches(List.of("a=10.0.0.7:7400", "b = 10.0.0.8:7400"));
        assertThat(caches).isEqualTo(FixedZoneMap.caches(List.of("a=10.0.0.7:7400", "b=10.0.0.8:7400")));
        FixedZoneMap map = new FixedZoneMap(caches);
        assertThat(map.members(ZONE)).containsExactly(caches.get(0));
        assertThat(map.members(new Zone("c"))).isEmpty();
        assertThatThrownBy(() -> FixedZoneMap.caches(List.of("10.0.0.7:7400")))
                .isInstanceOf(InvalidSettingsException.class);
    }
}
