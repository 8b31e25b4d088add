package dev.blobshuffle.core.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import java.util.List;
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
}
