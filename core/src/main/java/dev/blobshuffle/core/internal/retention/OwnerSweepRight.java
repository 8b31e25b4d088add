package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.SweepRules;
import dev.blobshuffle.core.internal.owner.SweepState;
import dev.blobshuffle.core.internal.owner.SweepStep;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The right to delete an owner's blobs, by the register of owners
 * ({@code docs/decisions/0045-owners.md}). Owned by one thread.
 */
public final class OwnerSweepRight implements SweepRight {
    private final OwnerSource source;
    private final Optional<Integer> forgotten;
    private final Guard guard;
    private final OwnerTiming timing;
    private final Time time;
    private @Nullable StoreConditions conditions;
    private @Nullable OwnerClaimant claimant;
    private @Nullable StoreCell used;
    private String location = "";
    private int fingerprint;
    private SweepState sweep = SweepState.NEW;

    /** Another condition of all steps. */
    @FunctionalInterface
    public interface Guard {
        /** No other condition. */
        Guard NONE = () -> {};

        /**
         * Checks the condition.
         *
         * @throws InvalidSettingsException the condition does not hold: nothing more may be deleted
         */
        void check() throws InterruptedException;
    }

    private OwnerSweepRight(
            OwnerSource source, Optional<Integer> forgotten, Guard guard, OwnerTiming timing, Time time) {
        this.source = source;
        this.forgotten = forgotten;
        this.guard = guard;
        this.timing = timing;
        this.time = time;
    }

    /** The right to sweep the own owner. */
    public static OwnerSweepRight own(OwnerSource source, OwnerTiming timing, Time time) {
        return new OwnerSweepRight(source, Optional.empty(), Guard.NONE, timing, time);
    }

    /**
     * The right to sweep another owner, as an operator orders.
     *
     * @param guard another condition of all steps
     */
    public static OwnerSweepRight forgetting(
            int owner, OwnerSource source, Guard guard, OwnerTiming timing, Time time) {
        return new OwnerSweepRight(source, Optional.of(owner), guard, timing, time);
    }

    @Override
    public void use(BlobStore store) {
        StoreConditions present = new StoreConditions(store, time);
        conditions = present;
        used = new StoreCell(present.registers(), OwnerText.REGISTER);
        location = store.location();
        fingerprint = store.fingerprint();
    }

    @Override
    public StoreClock clock() {
        StoreConditions present = conditions;
        if (present == null) {
            throw new IllegalStateException("Cannot sweep: no store is used yet.");
        }
        return present.require();
    }

    @Override
    public Leave next() throws InterruptedException {
        StoreClock ignored = clock(); // Do not sweep a store that ignores conditions.
        guard.check();
        SweepStep step;
        do {
            step = claimant().step(cell(), rules(), sweep);
            sweep = step.next();
        } while (step.order() == SweepStep.Order.AGAIN);
        Stage stage = switch (step.order()) {
            case GO -> Stage.valueOf(sweep.stage().name());
            case START_OVER -> Stage.START_OVER;
            default -> Stage.WAIT;
        };
        Optional<Duration> timeToLive = sweep.promise().flatMap(promise -> promise.retention());
        Optional<String> reason = stage == Stage.START_OVER ? claimant().trouble() : Optional.empty();
        return new Leave(stage, rules().target(claimant().state()).orElse(0), timeToLive, reason);
    }

    private StoreCell cell() {
        StoreCell present = used;
        if (present == null) {
            throw new IllegalStateException("Cannot sweep: no store is used yet.");
        }
        return present;
    }

    private OwnerClaimant claimant() throws InterruptedException {
        OwnerClaimant present = claimant;
        if (present == null) {
            present = new OwnerClaimant(source.seat(fingerprint), timing, time);
            claimant = present;
        }
        return present;
    }

    private SweepRules rules() throws InterruptedException {
        OwnerClaimant present = claimant();
        return forgotten.isPresent()
                ? SweepRules.forgetting(present.rules(), forgotten.get())
                : SweepRules.own(present.rules());
    }

    @Override
    public Duration listed() {
        sweep = sweep.listed(time.nanos());
        return step();
    }

    @Override
    public Duration decided() {
        sweep = sweep.decided(time.nanos());
        return step();
    }

    private Duration step() {
        return sweep.promise().map(timing::waits).orElse(timing.raise());
    }

    @Override
    public Duration over() {
        sweep = sweep.over();
        return timing.raise();
    }

    @Override
    public void requireOwn() throws InterruptedException {
        guard.check();
        if (!claimant().mayDelete(cell(), rules(), sweep)) {
            throw new InvalidSettingsException(
                    "Cannot delete from " + location + ": the store's register, or the claims topic,"
                            + " changed after the last step. Nothing more is deleted, and the sweep begins again.");
        }
    }

    /**
     * Removes the owner from the register, once no instance stores for it and its blobs are
     * deleted.
     */
    public void forget() throws InterruptedException {
        SweepRules rules = rules();
        OwnerClaimant present = claimant();
        present.change(cell(), text -> rules.forget(text, present.state()));
    }
}
