package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.LeaseRegister;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.internal.owner.LeaseText.State;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The right to delete the blobs of an application whose lease has ended. The register says so for
 * the grace of the lease first, so that the application can renew it. Whatever it renews later
 * takes the right away, before the next request that deletes. Owned by one thread.
 */
final class LeaseSweepRight implements SweepRight, Horizon {
    private final Time time;
    private int owner;
    private Stage stage = Stage.LIST;
    private @Nullable StoreConditions conditions;
    private @Nullable LeaseRegister register;
    private @Nullable Line ended;
    private String location = "";
    private boolean hasFoundEnd;

    LeaseSweepRight(Time time) {
        this.time = time;
    }

    /** Begins with another owner of the same store. */
    void turnTo(int next) {
        owner = next;
        stage = Stage.LIST;
        ended = null;
        hasFoundEnd = false;
    }

    @Override
    public void use(BlobStore store) {
        conditions = new StoreConditions(store, time);
        register = new LeaseRegister(store, time);
        location = store.location();
    }

    private LeaseRegister register() {
        LeaseRegister present = register;
        if (present == null) {
            throw new IllegalStateException("Cannot sweep: no store is used yet.");
        }
        return present;
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
        Instant now = clock().now();
        Optional<Line> line = register().read().lease(owner);
        Optional<String> held = register().held();
        if (held.isPresent() || line.isEmpty() || (ended != null && !line.get().equals(ended))) {
            stage = Stage.LIST;
            ended = null;
            return leave(Stage.START_OVER, held);
        }
        if (!line.get().isDue(now)) {
            return leave(Stage.WAIT, Optional.empty());
        }
        if (line.get().state() == State.LIVE) {
            register().end(owner, line.get());
            hasFoundEnd = true;
            return leave(Stage.WAIT, Optional.empty());
        }
        ended = line.get();
        return leave(stage, Optional.empty());
    }

    /** Whether it has said in the register that the lease has ended. */
    boolean hasFoundEnd() {
        return hasFoundEnd;
    }

    private Leave leave(Stage step, Optional<String> reason) {
        return new Leave(step, owner, Optional.empty(), reason);
    }

    @Override
    public Duration listed() {
        stage = Stage.DECIDE;
        return Duration.ZERO;
    }

    @Override
    public Duration decided() {
        stage = Stage.DELETE;
        return Duration.ZERO;
    }

    @Override
    public Duration over() {
        stage = Stage.LIST;
        return Duration.ZERO;
    }

    /** All blobs of the owner, for as long as the register says that the lease has ended. */
    @Override
    public Optional<Limit> at(Instant now) {
        return hasEnded() ? Optional.of(Limit.below(Long.MAX_VALUE)) : Optional.empty();
    }

    private boolean hasEnded() {
        Line seen = ended;
        return seen != null
                && register().read().lease(owner).equals(Optional.of(seen))
                && register().isLeased(owner);
    }

    @Override
    public void requireOwn() {
        if (!hasEnded() || register().held().isPresent()) {
            throw new InvalidSettingsException("Cannot delete from " + location
                    + ": the application has renewed its lease, or an operator holds the store. Nothing more is"
                    + " deleted.");
        }
    }
}
