package dev.blobshuffle.log.internal.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a generation is listed for orphans. */
class ListingPlanTest {
    private static final Duration LIFE = Duration.ofHours(24);

    private static Instant minute(long generation) {
        return Instant.ofEpochSecond(generation * 60);
    }

    private static ListingPlan plan(Map<Long, Instant> listed) {
        return new ListingPlan(listed, LIFE);
    }

    @Test
    void aGenerationIsListedAtTwiceItsAgeAndLastWhenUploadsAreOver() {
        Map<Long, Instant> listed = new HashMap<>();
        List<Long> ages = new ArrayList<>();
        for (long now = 110; now < 100 + 3 * 24 * 60; now++) {
            if (plan(listed).isDue(100, minute(now))) {
                listed.put(100L, minute(now));
                ages.add(now - 101);
            }
        }
        assertThat(ages).containsExactly(9L, 18L, 36L, 72L, 144L, 288L, 576L, 1152L, 1440L);
    }

    @Test
    void aGenerationThatIsOldAtItsFirstListingIsListedOnce() {
        Map<Long, Instant> listed = Map.of(100L, minute(100 + 2 * 24 * 60));
        assertThat(plan(listed).isDue(100, minute(1_000_000))).isFalse();
        assertThat(plan(Map.of()).isDue(100, minute(1_000_000))).isTrue();
    }

    @Test
    void onlyTheMarkIsRememberedOfGenerationsThatAreDone() {
        Instant done = minute(10_000);
        ListingPlan plan = plan(Map.of(10L, done, 11L, done, 13L, done, 9_990L, done));
        assertThat(plan.forgettable()).isEqualTo(Set.of(10L, 11L));
        plan.forgot(plan.forgettable());
        assertThat(plan.forgettable()).isEmpty();
        assertThat(plan.isDue(12, done)).isFalse();
        assertThat(plan.isDue(13, done)).isFalse();
        assertThat(plan.isDue(14, done)).isTrue();
    }

    /** Otherwise the mark would skip it. */
    @Test
    void theMarkStopsAtAGenerationThatIsNotDone() {
        Instant done = minute(10_000);
        ListingPlan plan = plan(Map.of(10L, done, 11L, minute(30), 12L, done));
        assertThat(plan.forgettable()).isEmpty();
        assertThat(plan.isDue(11, done)).isTrue();
    }

    @Test
    void aListingThatBeganWhileUploadsLivedIsNotTheLastOne() {
        Instant lifeEnd = minute(101).plus(LIFE);
        ListingPlan plan = plan(Map.of());
        assertThat(plan.isMemorable(100, lifeEnd.minusSeconds(600), lifeEnd.plusSeconds(1)))
                .isFalse();
        assertThat(plan.isMemorable(100, lifeEnd, lifeEnd.plusSeconds(1))).isTrue();
        assertThat(plan.isMemorable(100, lifeEnd.minusSeconds(600), lifeEnd.minusSeconds(300)))
                .isTrue();
    }
}
