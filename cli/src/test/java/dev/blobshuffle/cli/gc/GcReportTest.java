package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.retention.SweepReport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GcReportTest {
    private static GcReport report(int otherContent) {
        SweepReport found = new SweepReport(
                5, 100, 0, Optional.empty(), 0, 0, 0, 0, 0, Set.of(), 0, Optional.empty(), otherContent, 0, 0, 0);
        return new GcReport(found, List.of(), Set.of(), true);
    }

    @Test
    void blobsOfOtherContentAreCountedApart() {
        assertThat(report(5).text())
                .contains("5 blobs are kept, because they hold other content than records")
                .doesNotContain("damaged");
        assertThat(report(5).json("file:///store", "needed"))
                .contains("\"other_content_blobs\": 5", "\"damaged_blobs\": 0", "\"blobs_left\": 5");
        assertThat(report(0).text()).doesNotContain("other content");
    }

    @Test
    void aStoreWithBlobsOfOtherContentIsNotFree() {
        assertThat(report(5).found().leavesNothing()).isFalse();
        assertThat(report(0).found().leavesNothing()).isTrue();
    }
}
