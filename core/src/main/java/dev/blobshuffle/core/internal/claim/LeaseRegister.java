package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.owner.LeaseText;
import dev.blobshuffle.core.internal.owner.LeaseText.Line;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The leases of a store's applications. Each has an owner of its own in the register of owners, so
 * the number is no one else's, and a line in the register of leases. Each call waits for the store.
 * Thread-safe.
 */
public final class LeaseRegister {
    private final StoreCell leases;
    private final StoreCell owners;
    private final Time time;

    /**
     * The leases of a store.
     *
     * @param store stays open
     * @throws InvalidSettingsException the store has no registers
     */
    public LeaseRegister(BlobStore store, Time time) {
        Registers registers = store.registers()
                .orElseThrow(() -> new InvalidSettingsException("Cannot take a lease in " + store.location()
                        + ": it cannot compare and set, so the owners of its blobs are unknown. Use another store."));
        leases = new StoreCell(registers, LeaseText.REGISTER);
        owners = new StoreCell(registers, OwnerText.REGISTER);
        this.time = time;
    }

    /** Reads the leases. */
    public LeaseText read() {
        return text(leases.read());
    }

    /** Whether an owner's blobs may be deleted when its lease has ended: it is no cluster's. */
    public boolean isLeased(int owner) {
        return owners().isLeased(owner);
    }

    /** Why no blob may be deleted, as an operator has said; empty if they may. */
    public Optional<String> held() {
        return owners().contest(OwnerText.LEASED);
    }

    /**
     * Takes a lease for an application.
     *
     * @return its owner
     */
    public int take(Duration length, String name) throws InterruptedException {
        while (true) {
            int owner = 1 + Math.floorMod(time.randomLong(), BlobId.MOST_OWNERS);
            boolean isFree = read().lease(owner).isEmpty()
                    && changeOwners(text -> text.withLeased(owner, length).orElse(text));
            if (isFree) {
                LeaseText ignored = change(text -> text.with(owner, Line.renewed(length, name)));
                return owner;
            }
        }
    }

    /**
     * Renews a lease.
     *
     * @return what the register said before; empty if the lease was not there, so that the blobs of
     *     the owner are deleted
     */
    public Optional<Line> renew(int owner, Duration length, String name) throws InterruptedException {
        LeaseText before = change(text -> text.with(owner, Line.renewed(length, name)));
        if (before.lease(owner).isEmpty()) {
            boolean ignored =
                    changeOwners(text -> text.withLeased(owner, length).orElse(text));
        }
        return before.lease(owner);
    }

    /** Says that a lease has ended, unless it has changed since it was read. */
    public void end(int owner, Line seen) throws InterruptedException {
        LeaseText ignored =
                change(text -> text.lease(owner).equals(Optional.of(seen)) ? text.with(owner, seen.ended()) : text);
    }

    /** Removes a lease and its owner. No blob of the owner is left. */
    public void remove(int owner) throws InterruptedException {
        boolean isChanged = changeOwners(text -> text.withoutLeased(owner));
        LeaseText ignored = change(text -> text.without(owner));
    }

    /** Ends the hold of an operator. */
    public void settle() throws InterruptedException {
        boolean ignored = changeOwners(OwnerText::leasesSettled);
    }

    /** Returns what was changed. */
    private LeaseText change(UnaryOperator<LeaseText> change) throws InterruptedException {
        RegisterAttempts attempts = new RegisterAttempts("change a lease", Pauses.growing(time));
        while (true) {
            attempts.begin();
            Optional<Register> held = leases.read();
            LeaseText now = text(held);
            LeaseText next = change.apply(now);
            if (next.equals(now) || attempts.replace(leases, held, next.textAfter(now))) {
                return now;
            }
        }
    }

    /** Returns whether there was anything to change. */
    private boolean changeOwners(UnaryOperator<OwnerText> change) throws InterruptedException {
        RegisterAttempts attempts = new RegisterAttempts("change the owner of a lease", Pauses.growing(time));
        while (true) {
            attempts.begin();
            Optional<Register> held = owners.read();
            OwnerText now =
                    held.map(register -> OwnerText.parse(register.text())).orElse(OwnerText.NONE);
            Optional<OwnerText> next = change.apply(now).after(now);
            if (next.isEmpty() || attempts.replace(owners, held, next.get().text())) {
                return next.isPresent();
            }
        }
    }

    private OwnerText owners() {
        return owners.read().map(register -> OwnerText.parse(register.text())).orElse(OwnerText.NONE);
    }

    private static LeaseText text(Optional<Register> held) {
        return held.map(LeaseText::parse).orElse(LeaseText.NONE);
    }
}
