package dev.blobshuffle.cli.gc;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.claim.FormerClaims;
import dev.blobshuffle.core.internal.claim.OwnerClaimant;
import dev.blobshuffle.core.internal.claim.OwnerRegister;
import dev.blobshuffle.core.internal.claim.OwnerSource;
import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.owner.ClaimsTopic;
import dev.blobshuffle.core.internal.owner.OwnerText;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight.Guard;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.kafka.internal.claim.ClaimIdentity;
import dev.blobshuffle.kafka.internal.claim.KafkaClaims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The owners of a store, as a Kafka cluster sees them. Owned by one thread. */
final class OwnerRoll {
    private static final Promise NOTHING = new Promise(Duration.ZERO, Optional.of(Duration.ZERO));

    private final BlobStore store;
    private final OwnerRegister register;
    private final Map<String, Object> client;
    private final OwnerTiming timing;
    private final Time time;
    private final StoreClock clock;
    private final String cluster;

    OwnerRoll(BlobStore store, OwnerRegister register, Map<String, Object> client, OwnerTiming timing, Time time)
            throws InterruptedException {
        this.store = store;
        this.register = register;
        this.client = client;
        this.timing = timing;
        this.time = time;
        clock = new StoreConditions(store, time).require();
        cluster = seat(ClaimIdentity.SHARED_TOPIC, NOTHING).member().cluster();
    }

    /** The store's clock. */
    StoreClock clock() {
        return clock;
    }

    private KafkaClaims claims(String topic, Promise promise) {
        return new KafkaClaims(new ClaimIdentity(topic, "gc", client, promise), time);
    }

    private OwnerSource.Seat seat(String topic, Promise promise) throws InterruptedException {
        return claims(topic, promise).seat(store.fingerprint());
    }

    /** Ends a contest of this cluster. */
    void settle() throws InterruptedException {
        String topic = register.read().owners().values().stream()
                .filter(line -> line.cluster().equals(cluster))
                .map(Owner::topic)
                .findFirst()
                .orElse(ClaimIdentity.SHARED_TOPIC);
        new OwnerClaimant(seat(topic, NOTHING), timing, time).settle(register.cell());
    }

    /**
     * The owners to sweep: those of this cluster with a claim, or the one to forget.
     *
     * @param forgotten an owner without a claim
     * @param deletes whether to delete, and not only to count
     * @throws InvalidSettingsException the owner to forget is not in the register
     */
    List<OwnerPass> passes(Optional<Integer> forgotten, boolean deletes) throws InterruptedException {
        OwnerText text = register.read();
        text.contest(cluster).ifPresent(reason -> {
            throw new InvalidSettingsException("Cannot sweep " + store.location() + " by the logs of cluster " + cluster
                    + ": "
                    + reason + ". Nothing is deleted, and applications go on. docs/operations.md, \"Who may delete"
                    + " what, and when\", describes how to continue.");
        });
        Map<Integer, Owner> claimed = new TreeMap<>();
        for (Map.Entry<Integer, Owner> owner : text.owners().entrySet()) {
            if (isClaimed(text, owner.getKey(), owner.getValue())) {
                claimed.put(owner.getKey(), owner.getValue());
            }
        }
        if (forgotten.isPresent()) {
            if (forgotten.get() == BlobId.NO_OWNER) {
                new FormerClaims(store, cluster).requireOwnAndIdle();
                text = deletes ? admitted() : text.withFormer(cluster);
            }
            return List.of(forgetting(forgotten.get(), text, claimed.values(), deletes));
        }
        List<OwnerPass> passes = new ArrayList<>();
        claimed.forEach((owner, line) -> passes.add(
                pass(owner, line, OwnerSweepRight.own(claims(line.topic(), line.promise()), timing, time), deletes)));
        return passes;
    }

    private OwnerText admitted() throws InterruptedException {
        register.admitFormer(cluster);
        return register.read();
    }

    /**
     * A pass for the owner to forget. It takes its steps as a member of another owner of this
     * cluster, if there is one.
     */
    private OwnerPass forgetting(int owner, OwnerText text, Collection<Owner> claimed, boolean deletes) {
        Owner line = text.owners().get(owner);
        if (line == null) {
            throw new InvalidSettingsException("Cannot forget owner " + BlobId.hex(owner) + ": the register of "
                    + store.location() + " has no such owner. Run gc without --forget, which names them.");
        }
        if (text.isLeased(owner)) {
            throw new InvalidSettingsException("Cannot forget owner " + BlobId.hex(owner)
                    + ": it belongs to an application with a lease. gc --leases --execute deletes its blobs when the"
                    + " lease has ended.");
        }
        String topic = claimed.stream().map(Owner::topic).findFirst().orElse(ClaimIdentity.SHARED_TOPIC);
        Guard guard = owner == BlobId.NO_OWNER ? new FormerClaims(store, cluster)::requireOwnAndIdle : Guard.NONE;
        OwnerSweepRight right = OwnerSweepRight.forgetting(owner, claims(topic, NOTHING), guard, timing, time);
        return pass(owner, line, right, deletes);
    }

    private OwnerPass pass(int owner, Owner line, OwnerSweepRight right, boolean deletes) {
        if (deletes) {
            right.use(store);
        }
        return new OwnerPass(owner, line, timing, deletes ? Optional.of(right) : Optional.empty());
    }

    /**
     * Whether the claims topic in the owner's line belongs to this cluster and proves the owner.
     */
    private boolean isClaimed(OwnerText text, int owner, Owner line) throws InterruptedException {
        if (!line.cluster().equals(cluster) || line.topic().equals(OwnerText.NO_TOPIC)) {
            return false;
        }
        ClaimsTopic topic = seat(line.topic(), NOTHING).memory().read(line.topic());
        if (topic instanceof ClaimsTopic.Unreadable unreadable) {
            throw new InvalidSettingsException(
                    "Cannot sweep owner " + BlobId.hex(owner) + ": " + unreadable.reason() + ". Nothing was deleted.");
        }
        return text.proven(cluster, line.topic(), (ClaimsTopic.Known) topic)
                .filter(proven -> proven == owner)
                .isPresent();
    }

    /** A line about each owner for the report. */
    List<String> lines(List<OwnerPass> passes) {
        List<String> lines = new ArrayList<>();
        OwnerText text = register.read();
        boolean hasFormer = store.generations(BlobId.NO_OWNER).toCompletableFuture().join().stream()
                .anyMatch(generation -> generation > 0);
        if (hasFormer && !text.owners().containsKey(BlobId.NO_OWNER)) {
            lines.add("There are blobs without an owner, from versions without owners. When no such instance runs, gc"
                    + " --forget "
                    + BlobId.hex(BlobId.NO_OWNER) + " deletes those to which no log refers.");
        }
        new TreeMap<>(text.owners()).forEach((owner, line) -> {
            Optional<OwnerPass> pass =
                    passes.stream().filter(one -> one.owner() == owner).findFirst();
            String whose = "Owner " + BlobId.hex(owner) + ", claims topic " + line.topic();
            if (pass.isPresent()) {
                lines.add(whose + ": " + pass.get().found().listed() + " blobs, "
                        + pass.get().found().needed() + " needed.");
            } else if (text.isLeased(owner)) {
                lines.add("Owner " + BlobId.hex(owner) + ", an application with a lease: gc --leases sweeps it.");
            } else if (!line.cluster().equals(cluster)) {
                lines.add(whose + " of cluster " + line.cluster() + ": not swept from here.");
            } else {
                lines.add(whose + ": no instance claims it. If its application is gone for good, gc --forget "
                        + BlobId.hex(owner) + " deletes its blobs to which no log refers.");
            }
        });
        return lines;
    }
}
