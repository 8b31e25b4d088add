package dev.blobshuffle.testkit.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.membership.PeerSecret;
import dev.blobshuffle.core.internal.membership.PeerSecrets;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.member.LogMembership;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogMembershipTest {
    private static final Member FIRST = member(1, "a");
    private static final Member SECOND = member(2, "b");

    private final SimulatedTime time = new SimulatedTime(1);
    private final MemoryDatabase database = new MemoryDatabase(time);

    @AfterEach
    void endTime() {
        time.close();
    }

    @Test
    void membersFindEachOther() {
        LogMembership first = membership(Optional.empty());
        LogMembership second = membership(Optional.empty());
        first.join(Optional.of(FIRST));
        second.join(Optional.of(SECOND));
        long before = first.version();
        pass(Duration.ofSeconds(11));

        assertThat(first.members()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(second.members(SECOND.zone())).containsExactly(SECOND);
        assertThat(first.version()).isGreaterThan(before);
    }

    @Test
    void whoAnnouncesNothingLearnsOfOthers() {
        LogMembership silent = membership(Optional.empty());
        membership(Optional.empty()).join(Optional.of(FIRST));
        silent.join(Optional.empty());
        pass(Duration.ofSeconds(11));

        assertThat(silent.members()).containsExactly(FIRST);
    }

    @Test
    void aMemberThatLeavesIsForgotten() {
        LogMembership first = membership(Optional.empty());
        LogMembership second = membership(Optional.empty());
        first.join(Optional.of(FIRST));
        second.join(Optional.of(SECOND));
        pass(Duration.ofSeconds(11));
        second.close();
        pass(Duration.ofSeconds(11));

        assertThat(first.members()).containsExactly(FIRST);
    }

    @Test
    void aSilentMemberIsForgottenAfterItsTime() {
        LogMembership first = membership(Optional.empty());
        first.join(Optional.of(FIRST));
        CommitLog other = new MemoryLog(database, time);
        other.instances().announce(2, "blobshuffle-member 1\nzone b\nendpoint h:2\nformat 1\n", Duration.ofSeconds(30));
        pass(Duration.ofSeconds(11));
        assertThat(first.members()).hasSize(2);
        pass(Duration.ofSeconds(40));

        assertThat(first.members()).containsExactly(FIRST);
    }

    @Test
    void whoDoesNotKnowTheSecretIsRefused() {
        LogMembership first = membership(Optional.of(secret("the members' secret")));
        AtomicInteger refusals = new AtomicInteger();
        first.onRefusal(refusals::incrementAndGet);
        first.join(Optional.of(FIRST));
        membership(Optional.of(secret("the members' secret"))).join(Optional.of(SECOND));
        membership(Optional.of(secret("a guess of a secret"))).join(Optional.of(member(3, "a")));
        membership(Optional.empty()).join(Optional.of(member(4, "a")));
        pass(Duration.ofSeconds(11));

        assertThat(first.members()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(refusals).hasValue(2);
    }

    /** Members are at neighbouring steps of a rotation; one missed it. */
    @Test
    void membersFindEachOtherWhileTheSecretIsReplaced() {
        PeerSecret old = new PeerSecret("the members' secret".getBytes(StandardCharsets.UTF_8));
        PeerSecret next = new PeerSecret("the secret after that".getBytes(StandardCharsets.UTF_8));
        LogMembership first = membership(Optional.of(PeerSecrets.of(old, next)));
        LogMembership second = membership(Optional.of(PeerSecrets.of(next, old)));
        LogMembership third = membership(Optional.of(PeerSecrets.of(next)));
        LogMembership late = membership(Optional.of(PeerSecrets.of(old)));
        first.join(Optional.of(FIRST));
        second.join(Optional.of(SECOND));
        third.join(Optional.of(member(3, "a")));
        late.join(Optional.of(member(4, "a")));
        pass(Duration.ofSeconds(11));

        assertThat(ids(first)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        assertThat(ids(second)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        assertThat(ids(third)).containsExactlyInAnyOrder(2L, 3L);
        assertThat(ids(late)).containsExactlyInAnyOrder(1L, 4L);
    }

    private static List<Long> ids(LogMembership membership) {
        return membership.members().stream().map(Member::id).toList();
    }

    @Test
    void anAnnouncementIsWorthlessUnderAnotherId() {
        LogMembership first = membership(Optional.of(secret("the members' secret")));
        first.join(Optional.of(FIRST));
        membership(Optional.of(secret("the members' secret"))).join(Optional.of(SECOND));
        pass(Duration.ofSeconds(1));
        CommitLog other = new MemoryLog(database, time);
        other.instances()
                .find()
                .thenAccept(all -> all.forEach(
                        each -> other.instances().announce(each.id() + 10, each.text(), Duration.ofMinutes(1))));
        pass(Duration.ofSeconds(11));

        assertThat(first.members()).containsExactlyInAnyOrder(FIRST, SECOND);
    }

    @Test
    void strangeAnnouncementsAreIgnored() {
        LogMembership first = membership(Optional.empty());
        first.join(Optional.of(FIRST));
        CommitLog other = new MemoryLog(database, time);
        List<String> strange = List.of(
                "x",
                "blobshuffle-member 2\nzone a\nendpoint h:1\nformat 1\n",
                "blobshuffle-member 1\nzone a\nendpoint h\nformat 1\n",
                "blobshuffle-member 1\nzone  \nendpoint h:1\nformat 1\n",
                "blobshuffle-member 1\nzone a\nendpoint h:1\nformat x\n");
        for (int i = 0; i < strange.size(); i++) {
            other.instances().announce(100 + i, strange.get(i), Duration.ofMinutes(1));
        }
        pass(Duration.ofSeconds(11));

        assertThat(first.members()).containsExactly(FIRST);
    }

    private LogMembership membership(Optional<PeerSecrets> secrets) {
        return new LogMembership(new MemoryLog(database, time), List.of(), secrets, time);
    }

    private void pass(Duration span) {
        time.settle(span);
    }

    private static PeerSecrets secret(String text) {
        return PeerSecrets.of(new PeerSecret(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Member member(long id, String zone) {
        return new Member(id, new Endpoint("10.0.0." + id, 7400), new Zone(zone), Set.of(), 2);
    }
}
