package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.internal.owner.Member;

/** A user of stores: an application of a Kafka cluster, or a commit log. Thread-safe. */
public interface OwnerSource {
    /**
     * The identity of the user for one store. May ask the brokers or the database.
     *
     * @param fingerprint the fingerprint of the store
     */
    Seat seat(int fingerprint) throws InterruptedException;

    /**
     * One instance of the user.
     *
     * @param member its cluster, claims topic and promise
     * @param memory the memory of its cluster
     */
    record Seat(Member member, OwnerMemory memory) {}
}
