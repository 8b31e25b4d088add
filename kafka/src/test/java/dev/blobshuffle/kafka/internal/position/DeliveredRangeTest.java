package dev.blobshuffle.kafka.internal.position;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeliveredRangeTest {
    private final DeliveredRange range = new DeliveredRange();

    @Test
    void knowsNothingOutsideWhatWasHandedOut() {
        range.delivered(10, 1);
        range.delivered(12, 3);

        assertThat(range.isSingle(9)).isFalse();
        assertThat(range.isSingle(10)).isTrue();
        assertThat(range.isSingle(12)).isFalse();
        assertThat(range.isSingle(13)).isFalse();
    }

    @Test
    void forgetsWhatLiesBelowACommit() {
        range.delivered(10, 1);
        range.delivered(11, 1);
        range.committed(11);

        assertThat(range.isSingle(10)).isFalse();
        assertThat(range.isSingle(11)).isTrue();
    }

    @Test
    void commitInTheMiddleOfASegmentKeepsIt() {
        range.delivered(10, 4);
        range.delivered(10, 4);
        range.committed(10);
        range.delivered(10, 4);
        range.delivered(11, 1);

        assertThat(range.isSingle(10)).isFalse();
        assertThat(range.isSingle(11)).isTrue();
    }

    @Test
    void goesOnAfterACommitOfEverything() {
        range.delivered(10, 4);
        range.committed(100);
        range.delivered(100, 1);

        assertThat(range.isSingle(100)).isTrue();
    }

    @Test
    void staysBoundedAndRightWhenNobodyCommits() {
        for (long offset = 0; offset < 100_000; offset++) {
            range.delivered(offset, 2);
        }
        range.delivered(100_000, 1);

        assertThat(range.isSingle(0)).isFalse();
        assertThat(range.isSingle(50_000)).isFalse();
        assertThat(range.isSingle(99_999)).isFalse();
        assertThat(range.isSingle(100_000)).isTrue();
    }

    @Test
    void knowsNothingAfterAReset() {
        range.delivered(10, 1);
        range.reset();

        assertThat(range.isSingle(10)).isFalse();
    }
}
