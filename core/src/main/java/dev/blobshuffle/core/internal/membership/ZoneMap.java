package dev.blobshuffle.core.internal.membership;

import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Optional;

/**
 * The currently known members of a shuffle. The map may be outdated, incomplete or wrong; callers
 * must still be correct, and only spend more requests or time. Each front door has its own
 * implementation (Kafka: a compacted topic). Every read calls it, so answers are precomputed and
 * shared. Thread-safe.
 */
public interface ZoneMap {
    /** The members of all zones that count as alive. */
    List<Member> members();

    /** The members of one zone that count as alive, in no order. */
    List<Member> members(Zone zone);

    /**
     * A number that changes whenever an answer of this map may have changed, so that callers can
     * refresh cached answers. Called for every written record.
     */
    default long version() {
        return 0;
    }

    /** The zone of a partition's reader; empty if unknown. */
    Optional<Zone> zoneOf(Partition partition);
}
