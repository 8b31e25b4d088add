package dev.blobshuffle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogCheckTest {
    private final LogCheck check = new LogCheck(new long[] {2, 1});

    @Test
    void commitsOfSeveralPublishersMayMix() {
        see(0, 0, 0);
        see(1, 1, 0);
        see(2, 0, 1);
        assertThat(check.problem()).isEmpty();
    }

    @Test
    void aLostCommitIsFound() {
        see(0, 0, 0);
        see(1, 1, 0);
        assertThat(check.problem()).contains("publisher 0: 2 commits acknowledged, 1 stored");
    }

    @Test
    void aDoubledCommitIsFound() {
        see(0, 0, 0);
        see(1, 0, 0);
        assertThat(check.problem()).contains("publisher 0: commit 0 comes where 1 should");
    }

    @Test
    void commitsInAnotherOrderAreFound() {
        see(0, 0, 1);
        see(1, 0, 0);
        see(2, 1, 0);
        assertThat(check.problem()).contains("publisher 0: commit 1 comes where 0 should");
    }

    @Test
    void aHoleIsFound() {
        see(0, 0, 0);
        see(2, 0, 1);
        see(3, 1, 0);
        assertThat(check.problem()).contains("place 2 comes where 1 should");
    }

    private void see(long place, int publisher, long number) {
        byte[] entries = LogCheck.entries(LogPlan.HEAD_BYTES, publisher);
        LogCheck.number(entries, number);
        check.see(place, entries);
    }
}
