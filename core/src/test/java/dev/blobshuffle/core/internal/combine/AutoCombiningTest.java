package dev.blobshuffle.core.internal.combine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.combine.AutoCombining.Inlining;
import dev.blobshuffle.core.internal.read.SteppedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AutoCombiningTest {
    private static final long MIB = 1 << 20;
    private static final long SMALL = 100 << 10;
    private static final long ALONE = 104 << 10;
    private static final int TRIAL = 10;

    private final SteppedTime time = new SteppedTime();
    private final List<CombiningDecision> decisions = new ArrayList<>();
    private boolean hasHub = true;
    private final CombiningRule rule = CombiningRule.of(CombineOptions.of(4 * MIB, 16 * MIB, 64 * MIB));
    private final AutoCombining auto = auto(Inlining.SHARED);

    private AutoCombining auto(Inlining inlining) {
        return new AutoCombining(rule, inlining, () -> hasHub, time, decisions::add);
    }

    @AfterEach
    void close() {
        time.close();
    }

    /** Stores blobs, each of which a hub combines to so many times its bytes. */
    private void combine(int blobs, long bytes, double sharing) {
        for (int i = 0; i < blobs; i++) {
            if (auto.handsOver(bytes)) {
                auto.combined(bytes, (long) (sharing * bytes));
            }
        }
    }

    @Test
    void combinesAfterATrialInWhichOthersShare() {
        assertThat(auto.handsOver(SMALL)).as("a trial").isTrue();
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ON_TRIAL);
        assertThat(decisions).isEmpty();

        combine(TRIAL, SMALL, 8);
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ON);
        assertThat(decisions).containsExactly(CombiningDecision.ON);
    }

    @Test
    void stopsWithoutCompanionsAndTriesAgainWithAllOthers() {
        time.advance(Duration.ofMinutes(7));
        combine(TRIAL, SMALL, 1);
        assertThat(decisions).containsExactly(CombiningDecision.ALONE);
        assertThat(auto.handsOver(SMALL)).isFalse();

        time.advance(Duration.ofMinutes(3).minusMillis(1));
        assertThat(auto.handsOver(SMALL)).as("before a multiple of 5 minutes").isFalse();
        time.advance(Duration.ofMillis(1));
        combine(TRIAL, SMALL, 1.4);
        assertThat(decisions).as("the same decision").hasSize(1);

        time.advance(Duration.ofMinutes(5));
        combine(TRIAL, SMALL, 1.6);
        assertThat(decisions).containsExactly(CombiningDecision.ALONE, CombiningDecision.ON);
    }

    @Test
    void stopsWhenTheOthersLeave() {
        combine(TRIAL, SMALL, 8);
        combine(5, SMALL, 1);
        assertThat(auto.decision()).as("for a moment").isEqualTo(CombiningDecision.ON);
        combine(50, SMALL, 1);
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ALONE);
    }

    @Test
    void largeBlobsAreStoredAloneWithHysteresis() {
        combine(TRIAL, SMALL, 8);
        combine(100, 3 * MIB, 3);
        assertThat(auto.decision()).as("below 4 MiB").isEqualTo(CombiningDecision.ON);
        combine(100, 5 * MIB, 3);
        assertThat(auto.decision()).isEqualTo(CombiningDecision.LARGE_BLOBS);
        combine(100, 3 * MIB, 3);
        assertThat(auto.decision()).as("not below 2 MiB").isEqualTo(CombiningDecision.LARGE_BLOBS);
        combine(100, MIB, 8);
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ON);
        assertThat(decisions)
                .containsExactly(CombiningDecision.ON, CombiningDecision.LARGE_BLOBS, CombiningDecision.ON);
    }

    @Test
    void aZoneWithoutHubIsReportedAfterAMinute() {
        hasHub = false;
        assertThat(auto.handsOver(SMALL)).isFalse();
        time.advance(Duration.ofSeconds(59));
        auto.handsOver(SMALL);
        assertThat(decisions).isEmpty();
        time.advance(Duration.ofSeconds(1));
        auto.handsOver(SMALL);
        auto.handsOver(SMALL);
        assertThat(decisions).containsExactly(CombiningDecision.NO_HUB);

        hasHub = true;
        combine(TRIAL, SMALL, 8);
        assertThat(decisions).containsExactly(CombiningDecision.NO_HUB, CombiningDecision.ON);
    }

    @Test
    void membersThatAreNoHubsAreNotReportedAgainAndAgain() {
        for (int minute = 0; minute < 10; minute++) {
            hasHub = true; // A member that refused is asked again after a minute.
            if (auto.handsOver(SMALL)) {
                hasHub = false;
                auto.failed(SMALL);
            }
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(decisions).containsExactly(CombiningDecision.NO_HUB);
    }

    @Test
    void aHubThatFailsEndsCombining() {
        combine(TRIAL, SMALL, 8);
        for (int i = 0; i < 50 && auto.handsOver(SMALL); i++) {
            auto.failed(SMALL);
        }
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ALONE);
    }

    @Test
    void batchesBelowTheirShareOfABlobThatPaysAreInlined() {
        assertThat(auto.inlines(20 << 10, ALONE)).as("a trial").isFalse();
        combine(TRIAL, 20 << 10, 8);

        assertThat(auto.inlines(13 << 10, ALONE)).isFalse();
        assertThat(auto.inlines(12 << 10, ALONE)).as("below an eighth").isTrue();
    }

    @Test
    void withoutAHubSmallBatchesAreInlinedAsAlone() {
        combine(TRIAL, SMALL, 8);
        hasHub = false;

        assertThat(auto.inlines(ALONE - 1, ALONE)).isTrue();
        assertThat(auto.inlines(ALONE, ALONE)).isFalse();
    }

    @Test
    void aSizeThatTheUserHasSetStays() {
        AutoCombining fixed = auto(Inlining.FIXED);
        for (int i = 0; i < 2 * TRIAL; i++) {
            assertThat(fixed.handsOver(SMALL)).isTrue();
            fixed.combined(SMALL, 8 * SMALL);
        }
        assertThat(fixed.inlines(ALONE - 1, ALONE)).isTrue();
    }

    @Test
    void anInstanceThatInlinesEveryBatchTriesAgainWithTheOthers() {
        combine(TRIAL, 20 << 10, 2);
        for (int i = 0; i < 20; i++) {
            assertThat(auto.inlines(20 << 10, ALONE))
                    .as("less than half of 104 KiB")
                    .isTrue();
        }
        assertThat(decisions).containsExactly(CombiningDecision.ON, CombiningDecision.SMALL_BATCHES);

        time.advance(Duration.ofMinutes(5));
        assertThat(auto.inlines(20 << 10, ALONE)).as("a trial").isFalse();
        combine(TRIAL, 20 << 10, 8);
        assertThat(auto.inlines(20 << 10, ALONE)).as("now its share pays").isFalse();
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ON);
    }

    @Test
    void anInstanceWhoseLargeBlobsBecomeInlinedBatchesCombinesAgain() {
        combine(100, 5 * MIB, 1);
        assertThat(auto.decision()).isEqualTo(CombiningDecision.LARGE_BLOBS);
        for (int i = 0; i < 100; i++) {
            auto.inlines(20 << 10, ALONE);
        }
        assertThat(auto.decision()).isEqualTo(CombiningDecision.ON_TRIAL);
    }
}
