package dev.blobshuffle.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreFindingTest {
    /** The doctor adds a full stop. */
    @Test
    void aReasonLosesItsFullStop() {
        assertThat(StoreFinding.unknown("region", "Cannot ask: it is away. Try again.")
                        .what())
                .isEqualTo("unknown: Cannot ask: it is away. Try again");
        assertThat(StoreFinding.unknown("region", "it answered 501").what()).isEqualTo("unknown: it answered 501");
    }
}
