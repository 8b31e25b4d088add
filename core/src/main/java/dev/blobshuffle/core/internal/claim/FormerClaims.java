package dev.blobshuffle.core.internal.claim;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.Register;
import java.util.Optional;

/**
 * The claims of versions before owners, in a separate register. They cover the blobs without an
 * owner. These blobs may be deleted only if the own cluster made all the claims, and while no
 * instance changes the claims. Owned by one thread.
 */
public final class FormerClaims {
    private final StoreCell cell;
    private final String location;
    private final String cluster;
    private Optional<String> first = Optional.empty();

    /**
     * The former claims to a store.
     *
     * @param store stays open
     * @param cluster the own cluster
     */
    public FormerClaims(BlobStore store, String cluster) {
        cell = new StoreCell(store.registers().orElseThrow(), ClaimText.REGISTER);
        location = store.location();
        this.cluster = cluster;
    }

    /**
     * Checks the claims.
     *
     * @throws InvalidSettingsException another cluster, or a log, has claimed the store; or the
     *     claims have changed since the first check
     */
    public void requireOwnAndIdle() {
        String text = cell.read().map(Register::text).orElse(ClaimText.NONE.text());
        ClaimText now = ClaimText.parse(text);
        now.contest().ifPresent(reason -> {
            throw refused(reason);
        });
        now.lines().stream()
                .filter(line -> !line.cluster().equals(cluster))
                .findFirst()
                .ifPresent(line -> {
                    throw refused(line.cluster() + " used the store too, with a version before owners");
                });
        if (first.filter(before -> !before.equals(text)).isPresent()) {
            throw refused("an instance of a version before owners still runs");
        }
        first = Optional.of(text);
    }

    private InvalidSettingsException refused(String reason) {
        return new InvalidSettingsException(
                "Cannot delete the blobs without an owner from " + location + " by the logs of cluster "
                        + cluster + ": " + reason
                        + ". Nothing more is deleted. Upgrade or stop such instances, and run it again."
                        + " If another cluster has such blobs, only a lifecycle rule can delete them.");
    }
}
