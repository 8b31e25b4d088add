package dev.blobshuffle.messaging.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.log.internal.group.Consumed;
import dev.blobshuffle.log.internal.group.GroupDescription;
import dev.blobshuffle.log.internal.group.GroupSession;
import dev.blobshuffle.log.internal.group.Groups;
import dev.blobshuffle.log.internal.group.Lease;
import dev.blobshuffle.log.internal.group.LogPartition;
import dev.blobshuffle.log.internal.group.Member;
import dev.blobshuffle.log.internal.group.OwnedPartition;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A member whose log answers and refuses, as after a change of its password. */
class RefusedMemberTest {
    private static final OwnedPartition OWNED =
            new OwnedPartition(new LogPartition(1, 0), 1, OptionalLong.empty(), Optional.empty(), false);

    private final SimulatedTime time = new SimulatedTime(5);
    private final RefusingGroups groups = new RefusingGroups();
    private final GroupSession session = new GroupSession(
            groups, new Member("g", new UUID(1, 2), new Zone("a"), Set.of(1)), Duration.ofMinutes(5), time, () -> {});

    @AfterEach
    void close() {
        time.close();
    }

    @Test
    void aPasswordThatArrivesLateIsWaitedFor() {
        time.actor("test", () -> {
            session.start();
            time.pause(Duration.ofSeconds(1));
            groups.isRefusing = true;
            time.pause(Duration.ofSeconds(20));
            assertThat(session.owned()).isNotEmpty();
            groups.isRefusing = false;
            time.pause(Duration.ofSeconds(20));
            groups.isRefusing = true;
            time.pause(Duration.ofSeconds(20));
            assertThat(session.owned()).isNotEmpty();
            session.close();
        });
        time.run();
    }

    @Test
    void aRefusalThatLastsIsReportedUntilItEnds() {
        time.actor("test", () -> {
            session.start();
            time.pause(Duration.ofSeconds(1));
            groups.isRefusing = true;
            time.pause(Duration.ofSeconds(40));
            assertThatThrownBy(session::owned)
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("refused the password");
            groups.isRefusing = false;
            time.pause(Duration.ofSeconds(1));
            assertThat(session.owned()).isNotEmpty();
            session.close();
        });
        time.run();
    }

    @Test
    void aMemberThatHasNotJoinedYetIsRefusedAtOnce() {
        time.actor("test", () -> {
            groups.isRefusing = true;
            session.start();
            time.pause(Duration.ofSeconds(1));
            assertThatThrownBy(session::owned).isInstanceOf(InvalidSettingsException.class);
            session.close();
        });
        time.run();
    }

    /** Groups that refuse renewals on demand. Owned by the actors of the simulation. */
    private static final class RefusingGroups implements Groups {
        private boolean isRefusing;

        @Override
        public CompletionStage<Lease> renew(Member member, Set<LogPartition> released) {
            return isRefusing
                    ? CompletableFuture.failedStage(
                            new InvalidSettingsException("Cannot renew a lease: the server refused the password."))
                    : CompletableFuture.completedStage(new Lease(1, LEASE, List.of(OWNED), Set.of()));
        }

        @Override
        public CompletionStage<Void> leave(Member member) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<Void> commit(Consumed consumed) {
            throw new AssertionError("nothing is committed");
        }

        @Override
        public CompletionStage<Void> seek(String group, Map<LogPartition, Long> positions) {
            throw new AssertionError("nothing is sought");
        }

        @Override
        public CompletionStage<Optional<GroupDescription>> describe(String group) {
            throw new AssertionError("nothing is described");
        }

        @Override
        public CompletionStage<List<String>> list() {
            throw new AssertionError("nothing is listed");
        }

        @Override
        public CompletionStage<Boolean> delete(String group) {
            throw new AssertionError("nothing is deleted");
        }

        @Override
        public CompletionStage<Map<Zone, Integer>> zones(int topic) {
            throw new AssertionError("no zones are asked for");
        }
    }
}
