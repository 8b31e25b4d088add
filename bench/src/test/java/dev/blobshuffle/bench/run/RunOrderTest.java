package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameters;
import dev.blobshuffle.bench.workload.Workloads;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** In which order runs follow each other, and whether one runs before. */
class RunOrderTest {
    private static final Parameters MANY = Parameters.defaults().with("records", "500000");
    private static final Parameters FEW = MANY.with("records", "499999");

    private static RunOrder schedule(boolean isLimited, int repetitions, List<Cell> cells, Variant... variants) {
        return new RunOrder(
                new BenchPlan(
                        Workloads.named("shuffle"),
                        List.of(variants),
                        cells,
                        repetitions,
                        1,
                        List.of(),
                        Path.of("unused"),
                        Path.of("unused")),
                isLimited);
    }

    private static RunOrder schedule(Parameters parameters, int repetitions, Variant... variants) {
        return schedule(false, repetitions, List.of(Cell.only(parameters)), variants);
    }

    @Test
    void nativeRunsFirstWithoutBeingMeasured() {
        RunOrder schedule = schedule(MANY, 1, Variant.BLOBS_FILE, Variant.NATIVE_TUNED, Variant.NATIVE);

        assertThat(schedule.unmeasured(1)).map(Turn::variant).contains(Variant.NATIVE);
    }

    @Test
    void nothingRunsFirstWhereNothingIsCompared() {
        assertThat(schedule(MANY, 1, Variant.NATIVE).unmeasured(1)).isEmpty();
        assertThat(schedule(MANY, 2, Variant.NATIVE).unmeasured(1)).isPresent();
    }

    @Test
    void nothingRunsFirstBeforeShortRuns() {
        assertThat(schedule(FEW, 2, Variant.NATIVE).unmeasured(1)).isEmpty();

        Parameters rate = FEW.with("rate", "100").with("seconds", "20");
        assertThat(schedule(rate, 2, Variant.NATIVE).unmeasured(1)).isPresent();
        assertThat(schedule(rate.with("seconds", "19"), 2, Variant.NATIVE).unmeasured(1))
                .isEmpty();
    }

    @Test
    void nothingRunsFirstWhereTimeIsShort() {
        List<Cell> cells = List.of(Cell.only(MANY));

        assertThat(schedule(true, 2, cells, Variant.NATIVE).unmeasured(1)).isEmpty();
    }

    @Test
    void orderChangesFromRepetitionToRepetition() {
        RunOrder schedule = schedule(FEW, 2, Variant.NATIVE, Variant.NATIVE_TUNED, Variant.BLOBS_FILE);
        Random order = new Random(1);
        Set<List<Turn>> orders = new HashSet<>();
        for (int repetition = 0; repetition < 20; repetition++) {
            List<Turn> turns = schedule.repetition(1, order);
            assertThat(turns)
                    .extracting(Turn::variant)
                    .containsExactlyInAnyOrder(Variant.NATIVE, Variant.NATIVE_TUNED, Variant.BLOBS_FILE);
            orders.add(turns);
        }

        assertThat(orders).hasSizeGreaterThan(1);
    }

    @Test
    void tunedRunsOfLaterCellsAreTheFirstToBeLeftOut() {
        Cell fast = Cell.only(FEW);
        Cell slow = Cell.only(FEW.with("rate", "5000"));
        RunOrder schedule =
                schedule(true, 2, List.of(fast, slow), Variant.NATIVE, Variant.NATIVE_TUNED, Variant.BLOBS_FILE);

        List<Turn> turns = schedule.repetition(1, new Random(1));

        assertThat(turns.subList(0, 3)).extracting(Turn::cell).containsOnly(fast);
        assertThat(turns.subList(3, 6)).extracting(Turn::cell).containsOnly(slow);
        assertThat(turns.get(5).variant()).isEqualTo(Variant.NATIVE_TUNED);
    }
}
