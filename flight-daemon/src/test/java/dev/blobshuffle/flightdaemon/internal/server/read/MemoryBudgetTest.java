package dev.blobshuffle.flightdaemon.internal.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks which tenant gets memory for frames, and which one waits for which. */
class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(1600, 1);
    private final List<String> woken = new ArrayList<>();

    private static Holder of(String connection) {
        return new Holder(connection, "tenant");
    }

    @Test
    void aStreamThatIsReadGoesOnBesideOthersOfItsConnectionThatAreNot() {
        Runnable read = () -> woken.add("read");
        assertThat(budget.acquire(of("a"), 200, 0, () -> {})).isTrue();
        assertThat(budget.tryAcquire(of("a"), 200)).isTrue();
        assertThat(budget.acquire(of("a"), 200, 200, () -> {})).isFalse();
        assertThat(budget.acquire(of("a"), 200, 0, read)).isTrue();
        assertThat(budget.isShortForOthers(of("a"))).isFalse();
        assertThat(budget.isShortFor("a")).isTrue();
    }

    @Test
    void aConnectionNeverHasMoreThanHalf() {
        for (int i = 0; i < 4; i++) {
            assertThat(budget.acquire(of("a"), 200, 0, () -> {})).isTrue();
        }
        assertThat(budget.acquire(of("a"), 200, 0, () -> woken.add("a"))).isFalse();
        assertThat(budget.acquire(of("b"), 200, 0, () -> {})).isTrue();
        assertThat(budget.isShortForOthers(of("b"))).isFalse();
        assertThat(budget.inFlight()).isEqualTo(1000);
    }

    @Test
    void whoeverHoldsMemoryStopsTheOthersOnlyWhenAllOfItIsInUse() {
        for (int i = 0; i < 4; i++) {
            assertThat(budget.acquire(of("a"), 200, 0, () -> {})).isTrue();
            assertThat(budget.acquire(of("b"), 200, 0, () -> {})).isTrue();
        }
        assertThat(budget.acquire(of("c"), 200, 0, () -> woken.add("c"))).isFalse();
        assertThat(budget.isShortForOthers(of("a"))).isTrue();
        assertThat(budget.isShortForOthers(of("c"))).isFalse();
        budget.release(of("a"), 200);
        assertThat(woken).containsExactly("c");
        assertThat(budget.isShortForOthers(of("a"))).isFalse();
    }

    @Test
    void aTenantLeavesAQuarterToTheOthers() {
        MemoryBudget shared = new MemoryBudget(1600, 2);
        for (int i = 0; i < 6; i++) {
            assertThat(shared.acquire(new Holder(i, "a"), 200, 0, () -> {})).isTrue();
        }
        Holder more = new Holder(6, "a");
        assertThat(shared.acquire(more, 200, 0, () -> woken.add("a"))).isFalse();
        assertThat(shared.isShortForOthers(new Holder(0, "a"))).isTrue();
        assertThat(shared.acquire(new Holder(7, "b"), 200, 0, () -> {})).isTrue();
        assertThat(shared.isShortForOthers(new Holder(7, "b"))).isFalse();
        assertThat(shared.waiting()).isEqualTo(1);
    }

    @Test
    void aTenantWithMoreThanItsShareWaitsForOneThatWaits() {
        MemoryBudget shared = new MemoryBudget(1600, 2);
        for (int i = 0; i < 6; i++) {
            assertThat(shared.acquire(new Holder(i, "a"), 200, 0, () -> {})).isTrue();
        }
        Holder large = new Holder(7, "b");
        assertThat(shared.acquire(large, 600, 0, () -> woken.add("b"))).isFalse();
        shared.release(new Holder(0, "a"), 200);
        // The free memory is enough for a, but b needs it.
        assertThat(woken).containsExactly("b");
        assertThat(shared.acquire(large, 600, 0, () -> {})).isTrue();
        Holder small = new Holder(8, "c");
        assertThat(shared.acquire(small, 200, 0, () -> woken.add("c"))).isFalse();
        shared.release(new Holder(1, "a"), 200);
        assertThat(shared.acquire(new Holder(0, "a"), 200, 0, () -> {})).isTrue();
        shared.release(large, 600);
        assertThat(shared.inFlight()).isEqualTo(1000);
    }
}
