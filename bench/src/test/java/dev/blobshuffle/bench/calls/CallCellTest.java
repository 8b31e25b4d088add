package dev.blobshuffle.bench.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CallCellTest {
    @Test
    void maximumIsWhatIsOfferedWhereCallsSuffice() {
        assertThat(cell(CallVariant.KEY, 250, 215, 1_000, 0, 256).maximum()).isEqualTo(215);
        assertThat(cell(CallVariant.KEY_OUTPUT, 250, 215, 36, 0, 256).maximum()).isEqualTo(215);
        assertThat(cell(CallVariant.BATCH_BY_KEY, 250, 215, 36, 0, 256).maximum())
                .isEqualTo(215);
    }

    @Test
    void strictOrderIsLimitedByTheHottestKey() {
        assertThat(cell(CallVariant.KEY, 250, 215, 36, 0, 256).maximum()).isEqualTo(144, within(0.01));
        assertThat(cell(CallVariant.KEY, 250, 215, 1_000, 1, 256).maximum()).isEqualTo(29.9, within(0.1));
        assertThat(cell(CallVariant.KEY, 25, 60, 1, 0, 256).maximum()).isEqualTo(40);
    }

    @Test
    void concurrencyAndThreadsLimitToo() {
        assertThat(cell(CallVariant.KEY, 250, 5_000, 100_000, 0, 1_024).maximum())
                .isEqualTo(4_096);
        assertThat(new CallCell("x", CallVariant.PLAIN, 250, 215, 1_000, 0, 1, 54).maximum())
                .isEqualTo(215);
        assertThat(new CallCell("x", CallVariant.PLAIN, 250, 215, 1_000, 0, 1, 1).maximum())
                .isEqualTo(4);
    }

    /** A batch of a key counts as one call. */
    @Test
    void batchesLimitByTheirSize() {
        assertThat(CallCell.all())
                .filteredOn(cell -> cell.name().startsWith("batch-of-"))
                .extracting(CallCell::maximum)
                .containsExactly(1_000.0, 2_000.0, 2_000.0, 2_000.0);
    }

    private static CallCell cell(
            CallVariant variant, int latency, int offered, int keys, double skew, int concurrency) {
        return new CallCell("x", variant, latency, offered, keys, skew, concurrency, 1);
    }
}
