package dev.blobshuffle.planner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.pricing.PriceTables;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sizes by which instances decide themselves, beside the prices that the planner computes. */
class CombiningRuleTest {
    private static final double MIB = 1 << 20;

    private static CombiningChoice choice(int instances, double mebibytesPerInstance) {
        Workload workload = Workload.builder()
                .bytesPerSecond(mebibytesPerInstance * instances * MIB)
                .instances(instances)
                .partitions(216)
                .build();
        Planner planner = new Planner(new ShuffleModel(PriceTables.named("aws"), LatencyProfile.S3_BLOBSHUFFLE_PAPER));
        Tuning base = Tuning.builder()
                .inlineBytes(104 * 1024)
                .combining(Tuning.Combining.ZONE)
                .build();
        return CombiningChoice.of(planner, workload, base, new Goal.TargetP95(1));
    }

    private static double blobBytes(CombiningChoice choice) {
        return choice.alone().recommended().blobBytes();
    }

    private static double saving(CombiningChoice choice) {
        double alone = choice.alone().recommended().cost().total();
        double combined = choice.combined().orElseThrow().recommended().cost().total();
        return 1 - combined / alone;
    }

    /** Two instances in a zone, and eight. */
    @ParameterizedTest
    @CsvSource({"6, 0.5, 0.35", "6, 2, 0.15", "24, 0.5, 0.6", "24, 2, 0.35"})
    void belowTheSizeThatBeginsCombiningItSavesMuch(int instances, double mebibytesPerSecond, double least) {
        CombiningChoice choice = choice(instances, mebibytesPerSecond);

        assertThat(blobBytes(choice)).isLessThan(CombiningChoice.RULE.onBelow());
        assertThat(choice.pays()).isTrue();
        assertThat(saving(choice)).isGreaterThan(least);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 24})
    void fromTheSizeThatEndsCombiningItSavesLittle(int instances) {
        CombiningChoice choice = choice(instances, 8);

        assertThat(blobBytes(choice)).isGreaterThan(CombiningChoice.RULE.offFrom());
        assertThat(saving(choice)).isLessThan(0.1);
    }
}
