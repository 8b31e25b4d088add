package dev.blobshuffle.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.planner.LatencyProfile;
import dev.blobshuffle.simulator.SimulatedTime;
import org.junit.jupiter.api.Test;

class VirtualClusterTest {
    private static final int BATCHES = 60;
    private static final ClusterResult PAPER = run(Layout.PAPER, 1);

    private static ClusterResult run(Layout layout, long seed) {
        Deployment deployment = new Deployment(layout, 16, 36, 6, 0.37);
        try (SimulatedTime time = new SimulatedTime(seed)) {
            return new VirtualCluster(deployment, LatencyProfile.S3_PAPER_REQUESTS, BATCHES, time).run();
        }
    }

    @Test
    void papersLayoutReadsTwoOfThreeBlobsFromTheStore() {
        ClusterResult result = PAPER;
        assertThat(result.getsPerSecond() / result.putsPerSecond()).isCloseTo(2.0 / 3, within(0.15));
        assertThat(result.fill()).isBetween(0.85, 1.01);
        assertThat(result.gibibytesPerSecond()).isCloseTo(0.37, within(0.06));
        assertThat(result.notificationsPerSecond() / result.putsPerSecond()).isCloseTo(12, within(2.0));
    }

    @Test
    void oursPutsAThirdOfTheBlobs() {
        ClusterResult paper = PAPER;
        ClusterResult ours = run(Layout.OURS, 1);
        assertThat(ours.putsPerSecond() / paper.putsPerSecond()).isCloseTo(1.0 / 3, within(0.08));
    }

    @Test
    void oursPerZoneHasThePapersBlobsAndAFewSecondPuts() {
        ClusterResult paper = PAPER;
        ClusterResult ours = run(Layout.OURS_PER_ZONE, 1);
        assertThat(ours.fill()).isCloseTo(paper.fill(), within(0.05));
        assertThat(ours.putsPerSecond() / paper.putsPerSecond()).isBetween(0.95, 1.12);
    }

    @Test
    void sameSeedGivesTheSameNumbers() {
        ClusterResult one = PAPER;
        ClusterResult other = run(Layout.PAPER, 1);
        assertThat(other.records()).isEqualTo(one.records());
        assertThat(other.latency()).isEqualTo(one.latency());
        assertThat(other.puts()).isEqualTo(one.puts());
    }

    @Test
    void clustersThatCannotBeAreRefused() {
        assertThatThrownBy(() -> new Deployment(Layout.PAPER, 16, 216, 7, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Give a multiple of 3 instances");
        assertThatThrownBy(() -> new Deployment(Layout.PAPER, 16, 216, 6, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Give more than 0");
    }
}
