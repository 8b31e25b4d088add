package dev.blobshuffle.core.internal.pricing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RequestTimesTest {
    private static final double MIB = 1 << 20;

    @Test
    void anAssumptionHoldsUntilSomethingIsMeasured() {
        RequestTimes times = new RequestTimes(0.1, 0.02, 0.5);
        assertThat(times.usual(0)).isCloseTo(0.1, within(1e-9));
        assertThat(times.usual(10 * MIB)).isCloseTo(0.3, within(1e-9));
        double[] ratios = times.ratios();
        Arrays.sort(ratios);
        assertThat(ratios[RequestTimes.KEPT / 2]).isCloseTo(1, within(0.02));
        assertThat(Math.log(ratios[(int) (0.95 * RequestTimes.KEPT)])).isCloseTo(0.5 * 1.645, within(0.04));
    }

    @Test
    void aFewRequestsOutweighIt() {
        RequestTimes times = RequestTimes.puts();
        for (int i = 0; i < 20; i++) {
            times.took(i % 2 * MIB, 0.002);
        }
        assertThat(times.usual(0.5 * MIB)).isLessThan(0.02);
    }

    @Test
    void requestsOfAllSizesTellTheLineAndTheSpread() {
        DrawnTimes truth = new DrawnTimes(0.1, 0.02, 0.3, 0.03);
        SplittableRandom random = new SplittableRandom(5);
        RequestTimes times = RequestTimes.puts();
        double[] sizes = new double[1000];
        Arrays.setAll(sizes, i -> random.nextDouble() * 16 * MIB);
        for (double size : sizes) {
            times.took(size, truth.seconds(size, random));
        }
        for (double mebibytes : new double[] {1, 8, 16}) {
            double size = mebibytes * MIB;
            double[] ratios = times.ratios();
            Arrays.sort(ratios);
            double p95 = times.usual(size) * ratios[(int) (0.95 * ratios.length)];
            double[] drawn = new double[2000];
            Arrays.setAll(drawn, i -> truth.seconds(size, random));
            Arrays.sort(drawn);
            assertThat(p95).isCloseTo(drawn[(int) (0.95 * drawn.length)], within(0.25 * p95));
        }
    }

    @Test
    void requestsOfOneSizeDoNotTiltTheLine() {
        RequestTimes times = new RequestTimes(0.1, 0.02, 0.4);
        DrawnTimes truth = new DrawnTimes(0.2, 0.02, 0.4, 0);
        SplittableRandom random = new SplittableRandom(6);
        for (int i = 0; i < 2000; i++) {
            times.took(4 * MIB, truth.seconds(4 * MIB, random));
        }
        assertThat(times.usual(4 * MIB)).isCloseTo(0.31, within(0.06));
        assertThat(times.usual(16 * MIB)).isBetween(times.usual(4 * MIB), 2.5 * times.usual(4 * MIB));
    }

    @Test
    void aStoreThatBecomesSlowIsFollowedWithinSomeDozenRequests() {
        RequestTimes times = RequestTimes.puts();
        for (int i = 0; i < 1000; i++) {
            times.took(MIB, 0.05);
        }
        for (int i = 0; i < 100; i++) {
            times.took(MIB, 0.2);
        }
        assertThat(times.usual(MIB)).isBetween(0.13, 0.2);
    }

    @Test
    void oneStallHardlyMovesTheLine() {
        RequestTimes times = RequestTimes.puts();
        for (int i = 0; i < 200; i++) {
            times.took(MIB, 0.05);
        }
        times.took(MIB, 60);
        assertThat(times.usual(MIB)).isLessThan(0.06);
    }
}
