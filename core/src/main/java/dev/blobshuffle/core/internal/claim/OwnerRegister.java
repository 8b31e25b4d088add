package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.Time;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** The owners' register of a store, for operators. Owned by one thread. */
public final class OwnerRegister {
    private final StoreCell cell;
    private final Time time;

    /**
     * The register of a store.
     *
     * @param store stays open
     * @throws InvalidSettingsException the store has no registers
     */
    public OwnerRegister(BlobStore store, Time time) {
        cell = new StoreCell(
                store.registers()
                        .orElseThrow(() -> new InvalidSettingsException("Cannot sweep " + store.location()
                                + ": it has no compare-and-set, so the owners of its blobs are unknown. Use another"
                                + " store.")),
                OwnerText.REGISTER);
        this.time = time;
    }

    /** The register, for the owners' protocol. */
    public ClaimCell cell() {
        return cell;
    }

    /** Reads the register. */
    public OwnerText read() {
        return text(cell.read());
    }

    /**
     * Prevents all deletes, until an operator of each cluster ends this.
     *
     * @param more clusters that may have no owner yet
     */
    public void hold(String reason, Set<String> more) throws InterruptedException {
        change("hold a store", text -> text.held(reason, more));
    }

    /** @param what completes "Cannot …" */
    private void change(String what, UnaryOperator<OwnerText> change) throws InterruptedException {
        RegisterAttempts attempts = new RegisterAttempts(what, Pauses.growing(time));
        boolean isDone = false;
        while (!isDone) {
            attempts.begin();
            Optional<Register> held = cell.read();
            OwnerText now = text(held);
            Optional<OwnerText> next = change.apply(now).after(now);
            isDone = next.isEmpty() || attempts.replace(cell, held, next.get().text());
        }
    }

    /**
     * Adds a line for the blobs without an owner, so that they can be forgotten like an owner.
     *
     * @param cluster the cluster of these blobs
     */
    public void admitFormer(String cluster) throws InterruptedException {
        change("forget blobs without an owner", text -> text.withFormer(cluster));
    }

    private static OwnerText text(Optional<Register> held) {
        return held.map(register -> OwnerText.parse(register.text())).orElse(OwnerText.NONE);
    }
}
