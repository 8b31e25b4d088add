package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.parameter.Parameter;
import dev.blobshuffle.bench.parameter.Parameters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Combinations of values. */
class CellTest {
    @Test
    void everyCombinationIsThereOnce() {
        Map<String, List<String>> varied = new LinkedHashMap<>();
        varied.put("instances", List.of("1", "2"));
        varied.put("batch-size", List.of("1 MiB", "4 MiB"));

        List<Cell> cells = Cell.all(Parameters.defaults(), varied);

        assertThat(cells)
                .extracting(Cell::label)
                .containsExactly(
                        "instances=1, batch-size=1 MiB",
                        "instances=1, batch-size=4 MiB",
                        "instances=2, batch-size=1 MiB",
                        "instances=2, batch-size=4 MiB");
        assertThat(cells.get(2).parameters().count(Parameter.INSTANCES)).isEqualTo(2);
    }

    @Test
    void slopeIsThatOfAStraightLine() {
        assertThat(Slope.of(new double[] {1, 3, 5, 7})).isEqualTo(2);
        assertThat(Slope.of(new double[] {4})).isZero();
    }
}
