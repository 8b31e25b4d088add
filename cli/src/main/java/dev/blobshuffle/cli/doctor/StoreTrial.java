package dev.blobshuffle.cli.doctor;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreFinding;
import dev.blobshuffle.core.time.Time;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The doctor's checks of a store and of its contract, for commands that test their own store. They
 * leave blobs and a register behind. Stateless.
 */
public final class StoreTrial {
    private static final int NO_SAMPLES = 0;

    private StoreTrial() {}

    /**
     * Runs every check.
     *
     * @param limit time limit of each answer
     * @param findings receives the result of each check
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

    /** The finding for a failure. The failure's last sentence is the remedy. */
    public static StoreFinding failed(String subject, Throwable failure) {
        return Finding.failed(Finding.STORE, subject, failure).asStoreFinding();
    }
}
