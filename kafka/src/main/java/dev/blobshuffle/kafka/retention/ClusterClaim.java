package dev.blobshuffle.kafka.retention;

import dev.blobshuffle.core.failure.InvalidSettings;
import dev.blobshuffle.core.format.BlobId;
import dev.blobshuffle.core.store.BlobContent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The Kafka clusters by whose logs a store is swept. Two clusters with topics of the same names would each take the other's blobs for unneeded, so each sweeper first leaves a claim in the
 * store, and none deletes while there are claims of several clusters. A claim is a small blob of generation 0, which no other blob has; its writer is a hash of the cluster's id, its content
 * the id itself. Claims are made with a listing, so an interval before anything of it is deleted. Owned by one thread.
 */
final class ClusterClaim {
    static final long GENERATION = 0;

    private final PatientStore store;
    private final String cluster;

    ClusterClaim(PatientStore store, String cluster) {
        this.store = store;
        this.cluster = cluster;
    }

    private BlobId own() {
        return new BlobId(GENERATION, hash(cluster), 0);
    }

    /**
     * Claims the store, or makes sure that the claim is still there.
     *
     * @throws InvalidSettings another cluster has claimed it too
     */
    void make() throws InterruptedException {
        if (!store.list(GENERATION).contains(own())) {
            store.put(own(), BlobContent.of(cluster.getBytes(StandardCharsets.UTF_8)));
        }
        requireAlone();
    }

    /**
     * Checks that no other cluster has claimed the store.
     *
     * @throws InvalidSettings one has
     */
    void requireAlone() throws InterruptedException {
        List<BlobId> others = others();
        if (!others.isEmpty()) {
            StringBuilder names = new StringBuilder();
            for (BlobId other : others) {
                names.append(names.isEmpty() ? "" : ", ")
                        .append(store.text(other).orElse("(just withdrawn)"));
            }
            throw new InvalidSettings("Cannot sweep " + store.location() + " by the logs of cluster " + cluster
                    + ": it is swept by those of " + names
                    + " too, and each would delete the other's blobs. Give each cluster a store (prefix) of its own; if the others are gone for good, run"
                    + " `blobshuffle gc --delete --only-cluster`.");
        }
    }

    /** Withdraws the own claim. */
    void withdraw() throws InterruptedException {
        if (store.list(GENERATION).contains(own())) {
            store.delete(List.of(own()));
        }
    }

    /** Withdraws the claims of all other clusters. */
    void takeOver() throws InterruptedException {
        List<BlobId> others = others();
        if (!others.isEmpty()) {
            store.delete(others);
        }
    }

    private List<BlobId> others() throws InterruptedException {
        BlobId own = own();
        return store.list(GENERATION).stream().filter(id -> !id.equals(own)).toList();
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
