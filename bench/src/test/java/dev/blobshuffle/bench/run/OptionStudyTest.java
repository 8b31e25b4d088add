package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Theodolite's study of options. */
class OptionStudyTest {
    @Test
    void eachOptionIsTriedAloneAgainstTheDefaults() {
        List<Cell> cells = OptionStudy.cells(OptionStudy.base());

        assertThat(cells)
                .extracting(Cell::values)
                .containsExactly(
                        "defaults",
                        "topology-optimization=all",
                        "replication.factor=3",
                        "standby-replicas=1",
                        "standby-replicas=2",
                        "warm-up-replicas=1",
                        "warm-up-replicas=3");
        assertThat(cells.get(0).parameters().settings()).containsOnlyKeys("replication.factor");
        assertThat(cells.get(2).parameters().settings()).containsEntry("replication.factor", "3");
        assertThat(cells)
                .extracting(cell -> cell.parameters().count(Parameter.INPUT_REPLICATION))
                .as("the authors replicated the input with the internal topics")
                .containsExactly(1, 1, 3, 1, 1, 1, 1);
        assertThat(cells.get(3).parameters().settings()).containsEntry("num.standby.replicas", "1");
        assertThat(cells)
                .allSatisfy(cell -> assertThat(cell.parameters().count(Parameter.REPLICATION))
                        .isEqualTo(3));
    }
}
