package dev.blobshuffle.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HappeningsTest {
    @Test
    void instancesJoinAndLeaveOneAtATimeWithinTheirTurns() {
        Happenings.Step join = () -> {};
        Happenings.Step leave = () -> {};

        List<Happenings.Due> due = Happenings.joining(2, 1_000, 2_200, join, leave);

        assertThat(due)
                .containsExactly(
                        new Happenings.Due(1_100, join),
                        new Happenings.Due(1_500, leave),
                        new Happenings.Due(1_700, join),
                        new Happenings.Due(2_100, leave));
    }
}
