package dev.blobshuffle.spark.internal.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExecutorMembersTest {
    private static final Zone ZONE = new Zone("zone a");

    private final BlobDirectory directory = new BlobDirectory(new TestApplication());

    private static Member member(long id) {
        return new Member(id, new Endpoint("host-" + id, 7400), ZONE, Set.of(), 1);
    }

    private DirectoryClient client(long id) {
        return new DirectoryClient(
                directory::answer, new Whereabouts.Endpoint(String.valueOf(id), "host-" + id, 7077), ZONE);
    }

    @Test
    void executorsLearnOfEachOther() {
        ExecutorMembers one = new ExecutorMembers();
        ExecutorMembers two = new ExecutorMembers();
        one.join(Optional.of(member(1)));
        two.join(Optional.of(member(2)));
        one.refresh(client(1));
        two.refresh(client(2));

        assertThat(one.members(ZONE)).containsExactly(member(1));
        assertThat(two.members(ZONE)).containsExactly(member(1), member(2));
        long before = one.version();
        one.refresh(client(1));
        assertThat(one.members()).containsExactly(member(1), member(2));
        assertThat(one.version()).isNotEqualTo(before);
        assertThat(one.members(new Zone("zone b"))).isEmpty();
    }

    @Test
    void aLostExecutorLeaves() {
        ExecutorMembers one = new ExecutorMembers();
        one.join(Optional.of(member(1)));
        ExecutorMembers two = new ExecutorMembers();
        two.join(Optional.of(member(2)));
        two.refresh(client(2));
        one.refresh(client(1));

        assertThat(directory.executorLost("2")).isEmpty();
        one.refresh(client(1));
        assertThat(one.members()).containsExactly(member(1));
    }

    /** An executor asks each few seconds. */
    @Test
    void aKnownListIsNotSentAgain() {
        DirectoryClient client = client(1);
        MemberList.Answer first = client.members(member(1), -1);

        assertThat(first.members()).contains(List.of(member(1)));
        assertThat(client.members(member(1), first.version()).members()).isEmpty();
    }

    @Test
    void anExecutorThatDoesNotShareDoesNotJoin() {
        ExecutorMembers none = new ExecutorMembers();
        none.join(Optional.empty());
        none.refresh(client(1));

        assertThat(client(2).members(member(2), -1).members()).contains(List.of(member(2)));
    }
}
