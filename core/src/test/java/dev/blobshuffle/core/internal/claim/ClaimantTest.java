package dev.blobshuffle.core.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.failure.StoreThrottled;
import dev.blobshuffle.core.failure.StoreUnavailable;
import dev.blobshuffle.core.store.Register;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A claimant limits its attempts to write the register. When it gives up, its message says why.
 */
class ClaimantTest {
    private static final int ATTEMPTS = 20;
    private static final Set<String> TOPICS = Set.of("claims");

    private final Set<String> known = new HashSet<>();
    private final List<Integer> pauses = new ArrayList<>();
    private int writes;
    private Supplier<Boolean> answer = () -> false;

    /** An operation that writes the register. */
    private enum Operation {
        RAISE("claim a store"),
        HOLD("hold a store"),
        WITHDRAW("withdraw from a store"),
        TAKE_OVER("take a store over");

        private final String what;

        Operation(String what) {
            this.what = what;
        }

        void run(Claimant claimant) throws InterruptedException {
            switch (this) {
                case RAISE -> assertThat(claimant.raise(TOPICS).isOwn()).isTrue();
                case HOLD -> claimant.hold("held");
                case WITHDRAW -> claimant.withdraw();
                case TAKE_OVER -> claimant.takeOver(TOPICS);
            }
        }
    }

    /** Holds this cluster's line, and answers writes as the test says. */
    private final class Cell implements ClaimCell {
        private final String text;

        Cell() {
            known.add("id");
            text = ClaimText.NONE.raised("cluster", TOPICS, "id").text();
        }

        @Override
        public Optional<Register> read() {
            return Optional.of(new Register("1", text, Instant.EPOCH));
        }

        @Override
        public boolean replace(Optional<Register> expected, String next) {
            if (++writes > 10 * ATTEMPTS) {
                throw new IllegalStateException("Cannot end: the claimant writes without bound.");
            }
            return answer.get();
        }
    }

    private final class Memory implements ClaimMemory {
        @Override
        public Set<String> known() {
            return known;
        }

        @Override
        public void remember(String id, long counter) {
            known.add(id);
        }

        @Override
        public void forget(long before, Set<String> kept) {}
    }

    private Claimant claimant() {
        return new Claimant(new Cell(), "cluster", topic -> new Memory(), () -> "new-id", pauses::add, Claimant.KEPT);
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void anOperationThatOthersAlwaysOvertakeEndsAfterGrowingPauses(Operation operation) {
        assertThatThrownBy(() -> operation.run(claimant()))
                .isInstanceOf(StoreUnavailable.class)
                .hasNoCause()
                .hasMessage("Cannot " + operation.what + ": others changed the register in each of 20 attempts."
                        + " Try again.");
        assertThat(writes).isEqualTo(ATTEMPTS);
        assertThat(pauses).isEqualTo(IntStream.range(1, ATTEMPTS).boxed().toList());
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void aStoreThatThrottlesIsTheCauseAndNotOthers(Operation operation) {
        StoreThrottled throttled = new StoreThrottled("Cannot write register claims: 429. Wait.");
        answer = () -> {
            throw throttled;
        };
        assertThatThrownBy(() -> operation.run(claimant()))
                .isInstanceOf(StoreUnavailable.class)
                .hasCause(throttled)
                .hasMessage("Cannot " + operation.what
                        + ": 20 of 20 attempts to write the register failed, the last one as follows."
                        + " Cannot write register claims: 429. Wait.");
        assertThat(writes).isEqualTo(ATTEMPTS);
    }

    @Test
    void failuresAmongConflictsAreCounted() {
        StoreUnavailable lost = new StoreUnavailable("Cannot write register claims: no answer. Try again.");
        answer = () -> {
            if (writes % 2 == 0) {
                throw lost;
            }
            return false;
        };
        assertThatThrownBy(() -> claimant().hold("held"))
                .hasMessageStartingWith("Cannot hold a store: 10 of 20 attempts")
                .hasCause(lost);
    }

    @Test
    void aRefusalEndsAnOperationAtOnce() {
        StoreRefused refused = new StoreRefused("Cannot write register claims: 403. Grant it.");
        answer = () -> {
            throw refused;
        };
        assertThatThrownBy(() -> claimant().takeOver(TOPICS)).isSameAs(refused);
        assertThat(writes).isEqualTo(1);
    }
}
