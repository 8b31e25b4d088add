package dev.blobshuffle.kstreams.differential.drawn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.kstreams.differential.drawn.Program.Draft;
import dev.blobshuffle.kstreams.differential.drawn.Program.Event;
import dev.blobshuffle.kstreams.differential.drawn.Program.Flow;
import dev.blobshuffle.kstreams.differential.drawn.Program.Phase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ShrinkerTest {
    private static final Setup SETUP = new Setup(
            true,
            "classic",
            1,
            1,
            Setup.Membership.PLAIN,
            1,
            false,
            false,
            false,
            new Setup.Continues(true, true, true),
            false,
            Setup.Batching.SMALL);
    private static final Draft RECORD = new Draft(0, 'a', 0, Set.of());
    private static final Draft CAUSE = new Draft(1, 'b', 0, Set.of());

    private final Program program = new Program(
            SETUP,
            List.of(
                    new Flow(List.of(new Op.Filter(), new Op.Stamp(), new Op.FlatMap())),
                    new Flow(List.of(new Op.Filter()))),
            List.of(
                    new Phase(0, List.of(RECORD, RECORD, RECORD), Event.NONE),
                    new Phase(1, List.of(RECORD, RECORD, CAUSE, RECORD), Event.START)));

    private static boolean fails(Program program) {
        return program.flows().stream().anyMatch(flow -> flow.has(Op.Stamp.class))
                && program.phases().stream().anyMatch(phase -> phase.records().contains(CAUSE));
    }

    @Test
    void onlyTheCauseIsLeft() {
        assertThat(Shrinker.shrunk(program, ShrinkerTest::fails, 1000))
                .isEqualTo(new Program(
                        SETUP,
                        List.of(new Flow(List.of(new Op.Stamp()))),
                        List.of(new Phase(1, List.of(CAUSE), Event.NONE))));
    }

    @Test
    void attemptsHaveALimit() {
        assertThat(Shrinker.shrunk(program, ShrinkerTest::fails, 0)).isEqualTo(program);
    }
}
