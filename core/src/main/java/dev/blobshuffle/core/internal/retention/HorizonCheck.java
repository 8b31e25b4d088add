package dev.blobshuffle.core.internal.retention;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replaces the logs of a sweep by a horizon. It checks that the horizon has not gone back below a
 * blob with a tombstone. Owned by one thread.
 */
final class HorizonCheck implements NotificationLogs {
    private final Horizon horizon;
    private final StoreClock clock;
    private final BlobListing condemned;

    HorizonCheck(Horizon horizon, StoreClock clock, BlobListing condemned) {
        this.horizon = horizon;
        this.clock = clock;
        this.condemned = condemned;
    }

    @Override
    public Set<String> topics() {
        return Set.of();
    }

    @Override
    public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) {
        return Map.of();
    }

    @Override
    public Optional<String> goneBack(Map<Partition, Long> starts) {
        Horizon.Limit now = horizon.at(clock.now()).orElse(Horizon.Limit.NOTHING);
        return condemned
                .youngestCondemned()
                .filter(generation -> !now.mayCover(generation))
                .map(generation -> "generation " + generation + " was below the horizon when the blobs were listed,"
                        + " and is not below it now");
    }

    @Override
    public void close() {}
}
