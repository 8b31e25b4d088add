package dev.blobshuffle.flightdaemon.internal.server.put;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.flightdaemon.internal.blob.RefusedException;
import dev.blobshuffle.flightdaemon.internal.server.call.Holder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/**
 * Checks which puts proceed and which wait. Each put has its own connection unless a test says
 * otherwise.
 */
class PutBudgetTest {
    private final PutBudget budget = new PutBudget(80, 10, OptionalInt.empty(), 3); // Four slots.
    private final List<String> admitted = new ArrayList<>();

    /** A put of a tenant. */
    private final class Put {
        private final PutBudget of;
        private final Holder holder;
        private final Runnable whenAdmitted;

        Put(PutBudget of, String tenant) {
            this.of = of;
            holder = new Holder(this, tenant);
            whenAdmitted = () -> admitted.add(tenant);
        }

        boolean enter(long nanos) {
            return of.enter(holder, nanos, whenAdmitted);
        }

        void leave() {
            of.leave(holder, whenAdmitted);
        }
    }

    private Put put(String tenant, boolean isAdmitted) {
        return put(tenant, 0, isAdmitted);
    }

    private Put put(String tenant, long nanos, boolean isAdmitted) {
        Put put = new Put(budget, tenant);
        assertThat(put.enter(nanos)).as(tenant).isEqualTo(isAdmitted);
        return put;
    }

    @Test
    void aTenantLeavesASlotToTheOthers() {
        put("a", true);
        put("a", true);
        Put third = put("a", true);
        put("a", false);
        assertThat(budget.waiting()).isEqualTo(1);
        put("b", true);
        assertThat(budget.waiting()).isEqualTo(1);
        third.leave();
        assertThat(admitted).containsExactly("a");
        assertThat(budget.waiting()).isZero();
    }

    @Test
    void theOnlyTenantHasAllSlots() {
        PutBudget alone = new PutBudget(80, 10, OptionalInt.empty(), 1);
        for (int i = 0; i < 4; i++) {
            assertThat(new Put(alone, "a").enter(0)).isTrue();
        }
        assertThat(new Put(alone, "a").enter(0)).isFalse();
    }

    @Test
    void aFreeSlotGoesToTheWaitingTenantThatHasTheFewest() {
        Put first = put("a", true);
        Put second = put("a", true);
        put("b", true);
        Put third = put("b", true);
        put("a", false);
        put("b", false);
        put("c", false);
        put("c", false);
        first.leave();
        assertThat(admitted).containsExactly("c");
        second.leave();
        assertThat(admitted).containsExactly("c", "a");
        third.leave();
        assertThat(admitted).containsExactly("c", "a", "b");
    }

    @Test
    void aPutThatStopsWaitingTakesNoSlot() {
        put("a", true);
        put("a", true);
        put("b", true);
        Put last = put("b", true);
        Put gone = put("c", false);
        put("a", false);
        gone.leave();
        last.leave();
        assertThat(admitted).containsExactly("a");
    }

    @Test
    void aSlotIsWantedByThoseWhoWaitForIt() {
        put("a", true);
        put("a", true);
        Put third = put("a", true);
        assertThat(budget.isWanted("a")).isFalse();
        put("a", false);
        Put of = put("b", true);
        of.leave();
        // A slot is free, and tenant a may not take it.
        assertThat(budget.isWanted("a")).isTrue();
        assertThat(budget.isWanted("b")).isFalse();
        third.leave();
        put("b", true);
        put("c", false);
        assertThat(budget.isWanted("a")).isTrue();
        assertThat(budget.isWanted("b")).isTrue();
    }

    @Test
    void theTenantWithTheMostGivesASlotToOneWithoutThatWaitedForLong() {
        put("a", true);
        put("a", true);
        put("a", true);
        put("b", true);
        put("b", 100, false);
        assertThat(budget.mustGive(1000, 50)).isEmpty(); // Tenant a has one put.
        Put waiting = put("c", 200, false);
        assertThat(budget.mustGive(250, 50)).isEmpty();
        assertThat(budget.mustGive(251, 50)).contains("a");
        waiting.leave();
        assertThat(budget.mustGive(1000, 50)).isEmpty();
    }

    @Test
    void nobodyGivesItsOnlySlot() {
        for (String tenant : List.of("a", "b", "c", "d")) {
            put(tenant, true);
        }
        put("e", false);
        assertThat(budget.mustGive(1000, 50)).isEmpty();
    }

    @Test
    void aSecondPutOfAConnectionDoesNotWait() {
        PutBudget one = new PutBudget(80, 10, OptionalInt.of(1), 1);
        Holder holder = new Holder("connection", "a");
        assertThat(one.enter(holder, 0, () -> {})).isTrue();
        assertThatThrownBy(() -> one.enter(holder, 0, () -> {}))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("4 at a time, 1 of one tenant, and this connection has one. Put it again")
                .extracting(failure -> ((RefusedException) failure).reason())
                .isEqualTo(RefusedException.Reason.BUSY);
        assertThat(one.waiting()).isZero();
    }

    @Test
    void moreForATenantThanThereAreIsRefused() {
        assertThatThrownBy(() -> new PutBudget(80, 10, OptionalInt.of(5), 1))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("has room for 4. Give more --put-memory, or fewer --puts-per-tenant.");
    }
}
