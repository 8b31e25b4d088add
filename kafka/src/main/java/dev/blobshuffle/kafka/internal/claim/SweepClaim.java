package dev.blobshuffle.kafka.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.claim.Claimant.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;

/**
 * A sweep's right to delete. It raises before it lists and after it has decided, and asks before
 * each request that deletes. Owned by one thread.
 */
public final class SweepClaim implements SweepRight {
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

    /** Some stores take one write of an object each second. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private static final String CONDITIONS = "conditions";

    private final BlobStore store;
    private final ClaimIdentity identity;
    private final Time time;
    private final Registers registers;
    private final StoreCell cell;
    private final String cluster;
    private final Claimant claimant;
    private final Scope scope;
    private boolean isTried;

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
        this.time = time;
        this.scope = scope;
        registers = store.registers()
                .orElseThrow(() -> new InvalidSettings("Cannot sweep " + store.location()
                        + ": it cannot compare and set, so nobody can tell who else sweeps it. Use another store."));
        cell = new StoreCell(store, registers);
        cluster = ClaimTopic.cluster(identity.client());
        claimant = new Claimant(
                cell,
                cluster,
                topic -> new ClaimTopic(topic, identity, store.fingerprint(), time),
                () -> newId(time),
                pauses(time),
                Claimant.KEPT);
    }

    /**
     * Longer with each attempt, and at random: of many that start together, each finds a moment of
     * its own.
     */
    static Claimant.Pauses pauses(Time time) {
        return attempt -> {
            long most = Math.min(LONGEST_PAUSE.toNanos(), SHORTEST_PAUSE.toNanos() << Math.min(attempt, 16));
            long pause = SHORTEST_PAUSE.toNanos() + Long.remainderUnsigned(time.randomLong(), most);
            Signal never = time.signal();
            boolean ignored = never.await(never.count(), time.nanos() + pause);
        };
    }

    static String newId(Time time) {
        return String.format(Locale.ROOT, "%016x%016x", time.randomLong(), time.randomLong());
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

    /**
     * Raises the claim.
     *
     * @throws InvalidSettings somebody else uses the store, or the claim is contested: nothing may
     *     be deleted
     */
    @Override
    public void raise() throws InterruptedException {
        requireConditions();
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

    /** A store that ignores conditions lets two sweepers both believe that they are alone. */
    private void requireConditions() {
        if (isTried) {
            return;
        }
        try {
            Optional<Register> held =
                    registers.read(CONDITIONS).toCompletableFuture().join();
            boolean first = registers
                    .replace(CONDITIONS, held, newId(time))
                    .toCompletableFuture()
                    .join();
            boolean second = registers
                    .replace(CONDITIONS, held, newId(time))
                    .toCompletableFuture()
                    .join();
            if (first && second) {
                throw new InvalidSettings("Cannot sweep " + store.location()
                        + ": it ignores the conditions of requests (If-Match), so nobody can tell who else sweeps it."
                        + " Use a store that heeds them.");
            }
            isTried = true;
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
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
