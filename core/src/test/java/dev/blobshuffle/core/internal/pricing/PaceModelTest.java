package dev.blobshuffle.core.internal.pricing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaceModelTest {
    private static final double MIB = 1 << 20;

    /** No reads and a fixed channel. */
    private static final double[] READS = new double[16];

    private static final double[] CHANNEL = new double[16];

    static {
        Arrays.fill(CHANNEL, 0.015);
    }

    private static RequestTimes paper() {
        SplittableRandom random = new SplittableRandom(11);
        RequestTimes times = RequestTimes.puts();
        for (int i = 0; i < 2000; i++) {
            double size = random.nextDouble() * 16 * MIB;
            times.took(size, DrawnTimes.PAPER.seconds(size, random));
        }
        return times;
    }

    private static PaceModel model(RequestTimes puts) {
        return new PaceModel(puts, READS, CHANNEL, 1);
    }

    private static PaceConditions at(double mebibytesPerSecond, double target) {
        return new PaceConditions(target, target, mebibytesPerSecond * MIB, 128 * MIB, 16 * MIB, 0, 3, 1, 3, 0);
    }

    private static Pace choose(PaceConditions conditions) {
        return model(paper()).choose(conditions, Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 1, 10, 44, 100, 1000, 100_000})
    void noBlobIsLargerThanTheLargest(double mebibytesPerSecond) {
        PaceConditions conditions = at(mebibytesPerSecond, 3);
        Pace pace = choose(conditions);
        assertThat(pace.fillSeconds() * conditions.bytesPerSecond() / pace.blobs())
                .isLessThanOrEqualTo(16 * MIB * 1.001);
        assertThat(pace.fillSeconds()).isLessThanOrEqualTo(3);
    }

    @Test
    void batchesFillLongerTheMoreTimeThereIs() {
        double[] fills = new double[5];
        Arrays.setAll(fills, i -> choose(at(5, 1 + i)).fillSeconds());
        assertThat(fills).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void aBatchHoldsNoMoreThanItsShareOfTheBuffer() {
        PaceConditions small = new PaceConditions(5, 5, 10 * MIB, 4 * MIB, 16 * MIB, 0, 3, 1, 3, 0);
        assertThat(choose(small).fillSeconds()).isCloseTo(0.4, within(0.001));
    }

    @Test
    void aLayoutLimitsTheBlobs() {
        PaceConditions single = new PaceConditions(1.6, 1.6, 44 * MIB, 128 * MIB, 16 * MIB, 0, 3, 1, 1, 0);
        PaceConditions perZone = new PaceConditions(1.6, 1.6, MIB, 128 * MIB, 16 * MIB, 0, 3, 3, 3, 0);
        assertThat(choose(single).blobs()).isEqualTo(1);
        assertThat(choose(perZone).blobs()).isEqualTo(3);
    }

    @Test
    void anUnreachableTargetGetsWhatIsNearTheBest() {
        Pace pace = choose(at(5, 0.2));
        assertThat(pace.meetsTarget()).isFalse();
        assertThat(pace.p95Seconds()).isBetween(0.2, 1.0);
        assertThat(pace.fillSeconds()).isBetween(0.02, 0.2);
    }

    @Test
    void theLastPaceStaysUntilAnotherIsClearlyCheaperOrItIsTooSlow() {
        PaceModel model = model(paper());
        Pace first = model.choose(at(20, 1.6), Optional.empty());
        Pace little = model.choose(at(19.9, 1.6), Optional.of(first));
        Pace much = model.choose(at(5, 1.6), Optional.of(first));
        Pace back = model.choose(at(20, 1.6), Optional.of(much));
        assertThat(little.fillSeconds()).isEqualTo(first.fillSeconds());
        assertThat(little.blobs()).isEqualTo(first.blobs());
        assertThat(much.fillSeconds()).isGreaterThan(1.05 * first.fillSeconds());
        assertThat(back).isEqualTo(first);
    }

    @Test
    void whatIsInlinedWaitsForNoPut() {
        PaceConditions inlined = new PaceConditions(0.2, 0.2, 1024, 128 * MIB, 16 * MIB, 104 * 1024, 3, 1, 3, 0);
        Pace pace = choose(inlined);
        assertThat(pace.meetsTarget()).isTrue();
        assertThat(pace.fillSeconds()).isCloseTo(0.142, within(0.005));
    }

    @Test
    void underExactlyOnceBatchesFillUntilTheCommit() {
        PaceConditions hidden = new PaceConditions(2.5, 2.5, 5 * MIB, 128 * MIB, 16 * MIB, 0, 3, 1, 3, 1);
        assertThat(choose(hidden).fillSeconds()).isGreaterThanOrEqualTo(1);
        PaceConditions tooLong = new PaceConditions(1, 1, 5 * MIB, 128 * MIB, 16 * MIB, 0, 3, 1, 3, 2);
        Pace pace = choose(tooLong);
        assertThat(pace.meetsTarget()).isFalse();
        assertThat(pace.fillSeconds()).isGreaterThan(0.5);
    }

    @Test
    void aStoreWithoutLatencyAllowsBatchesOfAlmostTheTarget() {
        RequestTimes fast = RequestTimes.puts();
        for (int i = 0; i < 1000; i++) {
            fast.took(i % 8 * 100_000, 0.001);
        }
        Pace pace = model(fast).choose(at(1, 0.1), Optional.empty());
        assertThat(pace.meetsTarget()).isTrue();
        assertThat(pace.fillSeconds()).isBetween(0.06, 0.08);
        assertThat(pace.p95Seconds()).isBetween(0.07, 0.085);
    }
}
