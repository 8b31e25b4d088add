package dev.blobshuffle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private record Lap(String system, int round, double seconds) {}

    private final Rounds<Lap> laps = new Rounds<>(
            List.of(
                    new Lap("ours", 0, 2),
                    new Lap("theirs", 0, 4),
                    new Lap("ours", 1, 30),
                    new Lap("theirs", 1, 10),
                    new Lap("ours", 2, 1),
                    new Lap("theirs", 3, 1)),
            Lap::round);

    @Test
    void aRatioComparesRunsOfOneRound() {
        Spread ratio = of("ours").ratio(of("theirs"), Lap::seconds);

        assertThat(ratio.min()).isEqualTo(0.5);
        assertThat(ratio.max()).isEqualTo(3);
        assertThat(ratio.median()).isEqualTo(1.75);
    }

    @Test
    void aMedianIsThatOfAllRounds() {
        assertThat(of("ours").median(Lap::seconds)).isEqualTo(2);
        assertThat(of("none").median(Lap::seconds)).isNaN();
    }

    private Rounds<Lap> of(String system) {
        return laps.where(lap -> lap.system().equals(system));
    }
}
