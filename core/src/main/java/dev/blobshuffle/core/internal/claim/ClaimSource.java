package dev.blobshuffle.core.internal.claim;

import java.util.Optional;
import java.util.Set;

/** A user of stores: the applications of a Kafka cluster, or a commit log. Thread-safe. */
public interface ClaimSource {
    /**
     * A claimant of a store, before it claims. May ask the brokers or the database.
     *
     * @param cell the store's register
     * @param fingerprint the store's
     */
    Claimant claimant(ClaimCell cell, int fingerprint) throws InterruptedException;

    /** The lines to raise, by their topics. */
    Set<String> lines();

    /**
     * The lines to raise instead if raising failed for lack of a permission. The user then works,
     * but nothing deletes its blobs.
     *
     * @return empty: the failure is another one, so the raise is tried again
     */
    Optional<Set<String>> linesAfter(RuntimeException failure);
}
