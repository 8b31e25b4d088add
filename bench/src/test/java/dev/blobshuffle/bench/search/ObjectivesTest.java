package dev.blobshuffle.bench.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.bench.run.RunResult;
import dev.blobshuffle.bench.run.RunResults;
import dev.blobshuffle.bench.run.Variant;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** When a load counts as carried. */
class ObjectivesTest {
    /** Its backlog grows by 5 records per second; its p95 is 950 ms. */
    private final RunResult run = RunResults.of(RunResults.ONLY, Variant.NATIVE, 0, 1, 1, 0);

    @Test
    void backlogMayGrowByLessThanItsShareOfTheLoad() {
        assertThat(Objectives.defaults().violation(List.of(run), 501)).isEmpty();
        assertThat(Objectives.defaults().violation(List.of(run), 500))
                .hasValueSatisfying(text -> assertThat(text).contains("5.0 records/s"));
    }

    @Test
    void anAbsoluteBoundTakesThePlaceOfTheShare() {
        Objectives published =
                new Objectives(0.01, OptionalDouble.of(Objectives.publishedLag("uc3")), 0.001, OptionalDouble.empty());
        assertThat(published.violation(List.of(run), 10)).isEmpty();
        Objectives strict = new Objectives(0.01, OptionalDouble.of(5), 0.001, OptionalDouble.empty());
        assertThat(strict.violation(List.of(run), 1_000_000))
                .hasValueSatisfying(text -> assertThat(text).contains("allowed is less than 5.0"));
        assertThat(Objectives.publishedLag("uc3")).isEqualTo(100);
        assertThat(Objectives.publishedLag("uc4")).isEqualTo(2000);
    }

    @Test
    void latencyIsBoundOnlyIfAsked() {
        assertThat(new Objectives(0.01, OptionalDouble.empty(), 0.001, OptionalDouble.of(900))
                        .violation(List.of(run), 1000))
                .hasValueSatisfying(text -> assertThat(text).contains("p95"));
        assertThat(new Objectives(0.01, OptionalDouble.empty(), 0.001, OptionalDouble.of(1000))
                        .violation(List.of(run), 1000))
                .isEmpty();
    }

    @Test
    void oneRepetitionThatFallsBehindIsEnough() {
        List<RunResult> runs = List.of(run, RunResults.withBacklog(run, 80), RunResults.withBacklog(run, -10));
        assertThat(Objectives.defaults().violation(runs, 1000))
                .hasValueSatisfying(text -> assertThat(text).contains("80.0 records/s"));
        List<RunResult> slow = List.of(run, RunResults.of(RunResults.ONLY, Variant.NATIVE, 1, 2, 1, 0), run);
        assertThat(new Objectives(0.01, OptionalDouble.empty(), 0.001, OptionalDouble.of(1000)).violation(slow, 1000))
                .hasValueSatisfying(text -> assertThat(text).contains("p95 is 1901 ms"));
    }

    @Test
    void wrongOutputIsNeverCarried() {
        assertThat(Objectives.defaults().violation(List.of(run, RunResults.wrong(run)), 1000))
                .isPresent();
        assertThat(Objectives.defaults().violation(List.of(RunResults.wrong(run)), 1))
                .as("why its numbers mean nothing comes before them")
                .hasValueSatisfying(text -> assertThat(text).contains("2 expected"));
    }
}
