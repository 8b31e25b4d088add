package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The doctor's checks of a store and those of its contract, for commands that try a store which is
 * their own: it leaves blobs and a register behind. Stateless.
 */
public final class StoreTrial {
    private static final int NO_SAMPLES = 0;

    private StoreTrial() {}

    /**
     * Runs every check.
     *
     * @param limit how long each answer may take
     * @param findings gets the result of each check
     */
    public static void run(BlobStore store, Time time, Duration limit, Consumer<StoreFinding> findings)
            throws InterruptedException {
        try (BoundedWait patience = new BoundedWait(limit, time)) {
            StoreCheckup checkup = new StoreCheckup(store, time, patience);
            checkup.run(NO_SAMPLES, 1);
            checkup.findings().forEach(finding -> findings.accept(finding.asStoreFinding()));
            new StoreContract(store, time, patience, findings).run();
        }
    }

    /** What a failure means: its last sentence is the remedy. */
    public static StoreFinding failed(String subject, Throwable failure) {
        return Finding.failed(Finding.STORE, subject, failure).asStoreFinding();
    }
}
