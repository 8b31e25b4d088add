package dev.blobshuffle.cli.gc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.SweepReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GcReportTest {
    private static GcReport report(int otherContent) {
        return report(otherContent, 0, Map.of());
    }

    private static GcReport report(int otherContent, int spared) {
        return report(otherContent, spared, Map.of());
    }

    private static GcReport report(int otherContent, Map<Partition, String> doubts) {
        return report(otherContent, 0, doubts);
    }

    private static GcReport report(int otherContent, int spared, Map<Partition, String> doubts) {
        SweepReport found = new SweepReport(
                5,
                100,
                0,
                Optional.empty(),
                0,
                0,
                0,
                0,
                0,
                Set.of(),
                0,
                Optional.empty(),
                otherContent,
                0,
                spared,
                doubts.size(),
                doubts,
                0);
        return new GcReport(
                found,
                List.of(),
                Set.of(),
                Duration.ofHours(6),
                true,
                List.of("Owner 00c0de, claims topic t: 5 blobs, 3 needed."));
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
    void blobsYoungerThanTheFloorAreCountedApart() {
        assertThat(report(0, 3).text())
                .contains("3 blobs are not needed and stay, because they are younger than 21600 s");
        assertThat(report(0, 3).json("file:///store", "needed"))
                .contains("\"spared_blobs\": 3", "\"floor_ms\": 21600000");
        assertThat(report(0).text()).doesNotContain("younger");
    }

    @Test
    void blobsOfUnsettledLogsAreReportedWithTheLogsAndTheRemedy() {
        GcReport report = report(0, Map.of(new Partition("b", 10), "it has no leader", new Partition("b", 9), "why"));
        assertThat(report.text())
                .contains("2 blobs are kept, because notifications may still appear in logs:"
                        + " b-9 (why), b-10 (it has no leader). Bring their brokers");
        assertThat(report.json("file:///store", "needed"))
                .contains("\"unsettled_blobs\": 2", "\"reason\": \"it has no leader\"");
        assertThat(report.found().plus(report.found()).unsettled()).isEqualTo(4);
        assertThat(report(0).text()).doesNotContain("may still appear");
    }

    @Test
    void aReportNamesTenLogsAndCountsTheOthers() {
        Map<Partition, String> doubts = new HashMap<>();
        for (int number = 0; number < 12; number++) {
            doubts.put(new Partition("b", number), "why");
        }
        assertThat(report(0, doubts).text()).contains("b-9 (why) and 2 more.").doesNotContain("b-10");
    }
}
