package dev.blobshuffle.flight.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets memory for frames, and who waits for whom. */
class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(1600);
    private final List<String> woken = new ArrayList<>();

    @Test
    void aStreamThatIsReadGoesOnBesideOthersOfItsConnectionThatAreNot() {
        Runnable read = () -> woken.add("read");
        assertThat(budget.acquire("a", 200, 0, () -> {})).isTrue();
        assertThat(budget.tryAcquire("a", 200)).isTrue();
        assertThat(budget.acquire("a", 200, 200, () -> {})).isFalse();
        assertThat(budget.acquire("a", 200, 0, read)).isTrue();
        assertThat(budget.isShortForOthers("a")).isFalse();
        assertThat(budget.isShortFor("a")).isTrue();
    }

    @Test
    void aConnectionNeverHasMoreThanHalf() {
        for (int i = 0; i < 4; i++) {
            assertThat(budget.acquire("a", 200, 0, () -> {})).isTrue();
        }
        assertThat(budget.acquire("a", 200, 0, () -> woken.add("a"))).isFalse();
        assertThat(budget.acquire("b", 200, 0, () -> {})).isTrue();
        assertThat(budget.isShortForOthers("b")).isFalse();
        assertThat(budget.inFlight()).isEqualTo(1000);
    }

    @Test
    void whoeverHoldsMemoryStopsTheOthersOnlyWhenAllOfItIsInUse() {
        for (int i = 0; i < 4; i++) {
            assertThat(budget.acquire("a", 200, 0, () -> {})).isTrue();
            assertThat(budget.acquire("b", 200, 0, () -> {})).isTrue();
        }
        assertThat(budget.acquire("c", 200, 0, () -> woken.add("c"))).isFalse();
        assertThat(budget.isShortForOthers("a")).isTrue();
        assertThat(budget.isShortForOthers("c")).isFalse();
        budget.release("a", 200);
        assertThat(woken).containsExactly("c");
        assertThat(budget.isShortForOthers("a")).isFalse();
    }
}
