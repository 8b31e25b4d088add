package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The attempts of one operation on a register: a limited number, with growing pauses. Owned by one
 * thread.
 */
final class RegisterAttempts {
    /** Enough, because each failed attempt means that another writer has made progress. */
    private static final int ATTEMPTS = 20;

    private final String what;
    private final Pauses pauses;
    private final List<StoreUnavailableException> failures = new ArrayList<>();
    private int begun;

    /** @param what completes "Cannot …" */
    RegisterAttempts(String what, Pauses pauses) {
        this.what = what;
        this.pauses = pauses;
    }

    /**
     * Begins the next attempt. Pauses before each attempt but the first.
     *
     * @throws StoreUnavailableException no attempts are left; the cause is the store's last failure
     */
    void begin() throws InterruptedException {
        if (begun == ATTEMPTS) {
            throw exhausted();
        }
        if (begun > 0) {
            pauses.pause(begun);
        }
        begun++;
    }

    /** Replaces the value that was read. Returns false if the register must be read again. */
    boolean replace(ClaimCell cell, Optional<Register> held, String text) throws InterruptedException {
        try {
            return cell.replace(held, text);
        } catch (StoreRefusedException e) {
            throw e;
        } catch (StoreUnavailableException e) {
            failures.add(e); // The text may have been written; the next read shows whether it was.
            return false;
        }
    }

    private StoreUnavailableException exhausted() {
        if (failures.isEmpty()) {
            return new StoreUnavailableException("Cannot " + what + ": others changed the register in each of "
                    + ATTEMPTS + " attempts. Try again.");
        }
        StoreUnavailableException last = failures.get(failures.size() - 1);
        return new StoreUnavailableException(
                "Cannot " + what + ": " + failures.size() + " of " + ATTEMPTS
                        + " attempts to write the register failed, the last one as follows. " + last.getMessage(),
                last);
    }
}
