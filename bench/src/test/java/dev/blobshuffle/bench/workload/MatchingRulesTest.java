package dev.blobshuffle.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.blobshuffle.bench.parameter.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which records match which rules. */
class MatchingRulesTest {
    private static long matches(MatchingRules rules, int records) {
        SplittableRandom random = new SplittableRandom(1);
        long[] count = new long[1];
        for (int i = 0; i < records; i++) {
            byte[] record = new byte[32];
            random.nextBytes(record);
            rules.match(record, rule -> count[0]++);
        }
        return count[0];
    }

    @Test
    void copiesPerRecordAreTheSumOfSelectivities() {
        for (double selectivity : new double[] {0.2, 1, 5}) {
            MatchingRules rules = MatchingRules.of(
                    Parameters.defaults().with("rules", "50").with("selectivity", Double.toString(selectivity)));

            assertThat(matches(rules, 20_000) / 20_000.0).isCloseTo(selectivity, within(0.1 * selectivity));
        }
    }

    @Test
    void ruleOfSelectivityOneMatchesEverything() {
        MatchingRules rules =
                MatchingRules.of(Parameters.defaults().with("rules", "1").with("selectivity", "1"));

        assertThat(matches(rules, 1000)).isEqualTo(1000);
    }

    @Test
    void recordMatchesARuleAtMostOnceAndInOrder() {
        MatchingRules rules =
                MatchingRules.of(Parameters.defaults().with("rules", "30").with("selectivity", "20"));
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 1000; i++) {
            byte[] record = new byte[16];
            random.nextBytes(record);
            List<Integer> matched = new ArrayList<>();
            rules.match(record, matched::add);
            assertThat(matched).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void zipfGivesTheFirstRulesMore() {
        MatchingRules rules = MatchingRules.of(Parameters.defaults()
                .with("rules", "10")
                .with("selectivity", "1")
                .with("zipf", "1"));
        long[] first = new long[1];
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 10_000; i++) {
            byte[] record = new byte[16];
            random.nextBytes(record);
            rules.match(record, rule -> first[0] += rule == 0 ? 1 : 0);
        }

        assertThat(first[0] / 10_000.0).isCloseTo(1 / 2.929, within(0.03)); // 1 / (1 + 1/2 + … + 1/10)
    }
}
