package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.claim.ClaimText;
import dev.blobshuffle.core.internal.claim.Claimant;
import dev.blobshuffle.core.internal.claim.Claimant.Verdict;
import dev.blobshuffle.core.internal.claim.StoreCell;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A sweep's right to delete. It raises before it lists and after it has decided, and asks before
 * each request that deletes. Owned by one thread.
 */
public final class SweepClaim implements SweepRight {
    private final BlobStore store;
    private final ClaimIdentity identity;
    private final StoreConditions conditions;
    private final StoreCell cell;
    private final String cluster;
    private final Claimant claimant;
    private final Scope scope;

    /** For whom a sweep deletes. */
    public enum Scope {
        /** For one application. */
        APPLICATION,
        /** For all applications of the cluster. */
        CLUSTER
    }

    /**
     * A sweep's claim, which has not claimed anything.
     *
     * @param store stays open
     * @throws InvalidSettings the store has no registers
     * @throws org.apache.kafka.common.KafkaException the brokers do not answer
     */
    public SweepClaim(BlobStore store, ClaimIdentity identity, Scope scope, Time time) throws InterruptedException {
        this.store = store;
        this.identity = identity;
        this.scope = scope;
        conditions = new StoreConditions(store, time);
        cell = new StoreCell(store, conditions.registers());
        cluster = ClaimTopic.cluster(identity.client());
        claimant = new KafkaClaims(identity, time).claimant(cell, store.fingerprint());
    }

    /** The lines that must be this cluster's: the application's, or those of all. */
    private Set<String> topics() throws InterruptedException {
        if (scope == Scope.APPLICATION) {
            return Set.of(identity.topic());
        }
        Set<String> topics = new HashSet<>(claimant.topics());
        if (topics.contains(ClaimText.NO_TOPIC)) {
            throw new InvalidSettings("Cannot sweep " + store.location()
                    + ": an application that uses it may not use its claims topic, so nobody can tell whether cluster "
                    + cluster + " is the one that it runs on. Grant it the permissions, and restart it.");
        }
        topics.add(identity.topic());
        return topics;
    }

    @Override
    public StoreClock clock() {
        return conditions.require();
    }

    /**
     * Raises the claim.
     *
     * @throws InvalidSettings somebody else uses the store, or the claim is contested: nothing may
     *     be deleted
     */
    @Override
    public void raise() throws InterruptedException {
        conditions.require();
        requireNoEarlierClaims();
        require(claimant.raise(topics()));
    }

    /**
     * Checks that the claim is still this cluster's, and contests it if it is not.
     *
     * @throws InvalidSettings as {@link #raise()}
     */
    @Override
    public void requireOwn() throws InterruptedException {
        Set<String> topics = topics();
        require(claimant.check(topics));
    }

    /**
     * The same, but changes nothing.
     *
     * @throws InvalidSettings as {@link #raise()}
     */
    public void look() throws InterruptedException {
        requireNoEarlierClaims();
        require(claimant.look(claimant.topics()));
    }

    /** Why nobody may delete, as the register says it; empty if sweeps may. Changes nothing. */
    public Optional<String> contest() throws InterruptedException {
        return claimant.contest();
    }

    /** Keeps everybody from deleting until somebody takes over. */
    public void hold() throws InterruptedException {
        claimant.hold("held by an operator of cluster " + cluster);
    }

    /** Gives the store back: nothing of the cluster is left in it. */
    public void withdraw() throws InterruptedException {
        claimant.withdraw();
    }

    /** Makes the store this cluster's. A live instance of another cluster contests that again. */
    public void takeOver() throws InterruptedException {
        List<BlobId> earlier = cell.earlierClaims();
        if (!earlier.isEmpty()) {
            cell.delete(earlier);
        }
        Set<String> topics = new HashSet<>(claimant.topics());
        topics.remove(ClaimText.NO_TOPIC);
        topics.add(identity.topic());
        claimant.takeOver(topics);
    }

    private void require(Verdict verdict) {
        if (!verdict.isOwn()) {
            throw contested(verdict.contest().orElse(""));
        }
    }

    private InvalidSettings contested(String reason) {
        return new InvalidSettings("Cannot sweep " + store.location() + " by the logs of cluster " + cluster + ": "
                + reason + ". Nothing is deleted, and applications go on. Give each cluster a store (prefix) of its"
                + " own; docs/operations.md, \"When a sweep stops\", says how to go on.");
    }

    /** Versions without registers left a blob for each cluster. */
    private void requireNoEarlierClaims() {
        BlobId own = new BlobId(StoreCell.GENERATION, hash(cluster), 0);
        for (BlobId claim : cell.earlierClaims()) {
            if (!claim.equals(own)) {
                throw contested("another cluster swept the store with an earlier version (claim " + claim + ")");
            }
        }
    }

    private static long hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot hash a name: this Java has no SHA-256. Use a complete one.", e);
        }
    }
}
