package dev.blobshuffle.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.bench.parameter.Parameters;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every workload accepts its own output, and nothing less. */
class WorkloadsTest {
    private static final int RECORDS = 160;

    private static final Parameters SMALL = Parameters.defaults()
            .with("rate", "4")
            .with("record-bytes", "64")
            .with("keys", "10")
            .with("groups", "2")
            .with("rules", "20")
            .with("selectivity", "2")
            .with("output-rate", "3");

    static Stream<String> names() {
        return Workloads.all().stream().map(BenchWorkload::name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void checkAcceptsWhatComesOutOfTheWholeInput(String name) {
        DrivenWorkload run = DrivenWorkload.run(Workloads.named(name), SMALL, RECORDS, i -> true);

        assertThat(run.problem()).isEmpty();
        assertThat(run.count()).isEqualTo(run.expectation().shuffled());
        assertThat(run.expectation().shuffledBytes()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("names")
    void checkRefusesWhatComesOutOfLess(String name) {
        DrivenWorkload run = DrivenWorkload.run(Workloads.named(name), SMALL, RECORDS, i -> i != 7);

        assertThat(run.problem()).isPresent();
    }

    @Test
    void matcherIsCheckedByItsOutputAloneWhereInstancesAreKilled() {
        Parameters killed = SMALL.with("kills", "1").with("guarantee", "exactly_once_v2");

        assertThat(DrivenWorkload.run(new MatcherWorkload(), killed, RECORDS, i -> true)
                        .problem())
                .isEmpty();
        assertThat(DrivenWorkload.run(new MatcherWorkload(), killed, RECORDS, i -> i != 7)
                        .problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("consumer_"));
    }

    @Test
    void hierarchySumsUpToTheTop() {
        DrivenWorkload run = DrivenWorkload.run(new HierarchyWorkload(), SMALL.with("rate", "16"), RECORDS, i -> true);

        assertThat(run.written("output").stream()
                        .filter(record -> new String(record.key(), StandardCharsets.UTF_8).equals("g_2_0"))
                        .mapToDouble(record -> GroupSum.of(record.value()).sumInWatts())
                        .max())
                .hasValue(160);
    }

    @Test
    void sumThatIsMissingIsFound() {
        DrivenWorkload run = DrivenWorkload.run(new HierarchyWorkload(), SMALL.with("rate", "16"), RECORDS, i -> true);
        run.forgetLastKey("sums-changelog");

        assertThat(run.problem())
                .hasValueSatisfying(
                        problem -> assertThat(problem).contains("sums of windows", "0 updates dropped", "g_"));
    }

    @Test
    void hierarchyNeedsARate() {
        assertThatThrownBy(() -> new HierarchyWorkload().source(SMALL.with("rate", "0"), new Timeline(0, 1)))
                .hasMessageContaining("rate=64");
    }

    @Test
    void unknownWorkloadIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> Workloads.named("uc9"))
                .hasMessageContaining("uc9")
                .hasMessageContaining("matcher");
    }
}
