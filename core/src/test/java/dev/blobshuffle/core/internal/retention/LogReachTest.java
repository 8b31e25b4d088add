package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LogReachTest {
    private static final Partition FIRST = new Partition("topic", 0);
    private static final Partition SECOND = new Partition("topic", 1);

    private final LogReach reach = new LogReach();

    @Test
    void emptyLogThatHasLetGoTellsNothing() {
        assertThat(reach.coversAll(List.of(FIRST), 1000)).isFalse();
    }

    @Test
    void logThatHasLetGoOfNothingWouldHoldEveryNotification() {
        reach.lostNothing(FIRST);
        assertThat(reach.coversAll(List.of(FIRST), 0)).isTrue();
    }

    @Test
    void logThatLeadsToAClearlyOlderBlobWouldHoldTheNotification() {
        reach.leadsTo(FIRST, 1000);
        reach.leadsTo(FIRST, 5000);
        assertThat(reach.coversAll(List.of(FIRST), 1015)).isTrue();
        assertThat(reach.coversAll(List.of(FIRST), 1014)).isFalse();
        assertThat(reach.coversAll(List.of(FIRST), 999)).isFalse();
    }

    @Test
    void allLogsOfABlobMustTell() {
        reach.lostNothing(FIRST);
        assertThat(reach.coversAll(List.of(FIRST, SECOND), 1000)).isFalse();
        reach.leadsTo(SECOND, 500);
        assertThat(reach.coversAll(List.of(FIRST, SECOND), 1000)).isTrue();
        assertThat(reach.coversAll(List.of(), 1000)).isFalse();
    }

    private static NotificationLogs.Extent extent(String log, int leadership) {
        return new NotificationLogs.Extent(
                0, 5, Optional.of(new NotificationLogs.Term(log, leadership)), Optional.empty());
    }

    private void read(NotificationLogs.Extent extent) {
        reach.read(Set.of("topic"), Map.of(FIRST, extent), Map.of(FIRST, new NotificationLogs.Term("log", 3)));
    }

    @Test
    void aLogWithOneLeaderSinceTheListingIsSettled() {
        read(extent("log", 3));
        assertThat(reach.doubts(List.of(FIRST))).isEmpty();
        assertThat(reach.coversAll(List.of(FIRST), 0)).isTrue();
    }

    @Test
    void aLogWithoutTermsIsSettled() {
        read(new NotificationLogs.Extent(0, 5));
        assertThat(reach.doubts(List.of(FIRST))).isEmpty();
    }

    @Test
    void aLogThatItsSourceDoubtsProvesNothing() {
        read(new NotificationLogs.Extent(0, 0, Optional.empty(), Optional.of("it has no leader")));
        assertThat(reach.doubts(List.of(FIRST, SECOND))).containsEntry(FIRST, "it has no leader");
        assertThat(reach.coversAll(List.of(FIRST), 0)).isFalse();
        assertThat(reach.anyIsSilent(List.of(FIRST))).isFalse();
    }

    @Test
    void anotherLeaderSinceTheListingIsADoubt() {
        read(extent("log", 4));
        assertThat(reach.doubts(List.of(FIRST)).get(FIRST)).contains("leader changed");
    }

    @Test
    void anotherLogSinceTheListingIsADoubt() {
        read(extent("another", 3));
        assertThat(reach.doubts(List.of(FIRST)).get(FIRST)).contains("created again");
    }

    @Test
    void aLogThatWasNotThereAtTheListingIsADoubt() {
        reach.read(Set.of("topic"), Map.of(FIRST, extent("log", 3)), Map.of());
        assertThat(reach.doubts(List.of(FIRST)).get(FIRST)).contains("did not exist");
    }

    /**
     * Kafka never removes a partition from a topic, so this must be another topic of the same name.
     */
    @Test
    void aPartitionThatItsTopicDoesNotHaveIsADoubt() {
        read(extent("log", 3));
        assertThat(reach.doubts(List.of(FIRST, SECOND))).containsOnlyKeys(SECOND);
        assertThat(reach.doubts(List.of(new Partition("a deleted topic", 0)))).isEmpty();
    }
}
