package dev.blobshuffle.core.membership;

import dev.blobshuffle.core.format.Partition;
import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Optional;

/**
 * What is known of the members of a shuffle at a moment. It may be old, incomplete or wrong: whoever asks must stay right then, and only spends more requests or time. Each front
 * door brings its own (Kafka: a compacted topic). Called for every read, so answers are at hand and shared, not computed. Thread-safe.
 */
public interface ZoneMap {
    /** The members that are believed to be alive, in all zones. */
    List<Member> members();

    /** The members among them in a zone, in no order. */
    List<Member> members(Zone zone);

    /** Changes whenever an answer of this map may have changed: whoever keeps answers asks again then. Asked for every record that is written. */
    default long version() {
        return 0;
    }

    /** The zone of a partition's reader; empty where nobody knows: then all zones are alike. */
    Optional<Zone> zoneOf(Partition partition);
}
