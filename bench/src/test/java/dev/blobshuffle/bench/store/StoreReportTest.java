package dev.blobshuffle.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoreReportTest {
    private static final TransferCell LARGE = new TransferCell("tls", TransferCell.Direction.PUT, 16, 4);

    @Test
    void theRatioIsTheMedianOfRatiosWithinARepetition() {
        List<StoreResult> results = new ArrayList<>();
        double[] bare = {1, 2, 4};
        double[] ours = {1.5, 2.2, 8};
        for (int i = 0; i < 3; i++) {
            results.add(result(LARGE, true, i, bare[i], true));
            results.add(result(LARGE, false, i, ours[i], true));
        }
        StoreReport report = new StoreReport(results);
        assertThat(report.cpuRatio(LARGE)).isEqualTo(1.5);
        assertThat(report.summary()).contains("tls PUT, 8 MiB and more: CPU per byte 1.50 x the floor (1.50 to 1.50)");
        assertThat(report.isVerified()).isTrue();
    }

    @Test
    void smallBlobsAndStoresWithoutFloorAreNotSummedUp() {
        TransferCell small = new TransferCell("plain", TransferCell.Direction.GET, 1, 1);
        StoreReport report = new StoreReport(List.of(
                result(small, true, 0, 1, true), result(small, false, 0, 1, true), result(LARGE, false, 0, 1, true)));
        assertThat(report.summary()).isEmpty();
        assertThat(report.table())
                .contains("plain  GET     1     1", "tls    PUT    16     4")
                .doesNotContain("NaN");
    }

    @Test
    void aResultIsPerByteAndPerBlob() {
        StoreResult result = new StoreResult(LARGE, false, 0, 64, 2, 0.5, 1 << 29, Optional.of(128L), true);
        assertThat(result.cpuPerGibibyte()).isEqualTo(0.5);
        assertThat(result.allocatedPerByte()).isEqualTo(0.5);
        assertThat(result.requestsPerBlob()).isEqualTo(2);
        assertThat(result.megabytesPerSecond()).isEqualTo((1 << 30) / 2e6);
    }

    @Test
    void oneWrongBlobSpoilsTheReport() {
        assertThat(new StoreReport(List.of(result(LARGE, false, 0, 1, true), result(LARGE, true, 0, 1, false)))
                        .isVerified())
                .isFalse();
    }

    private static StoreResult result(TransferCell cell, boolean isBare, int repetition, double cpu, boolean verified) {
        return new StoreResult(cell, isBare, repetition, 64, 1, cpu, 0, Optional.empty(), verified);
    }
}
