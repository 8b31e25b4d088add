package dev.blobshuffle.core.internal.log.group;

import dev.blobshuffle.core.zone.Zone;
import java.util.List;
import java.util.Map;

/**
 * The home zone of each partition of a topic. Writers put a partition's records into the section of
 * its home zone, and each group prefers readers there. So several groups need no more reads of a
 * blob than one.
 *
 * <p>Derived from the zones of the topic's readers by weighted rendezvous hashing: each instance
 * derives the same, and a reader more or less moves few partitions. Results do not depend on it.
 */
public final class HomeZones {
    private final List<Weighted> zones;

    private HomeZones(List<Weighted> zones) {
        this.zones = zones;
    }

    /**
     * The home zones of a topic.
     *
     * @param readers number of readers per zone; those without a reader do not count
     */
    public static HomeZones of(Map<Zone, Integer> readers) {
        return new HomeZones(readers.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(each -> new Weighted(each.getKey(), each.getValue()))
                .toList());
    }

    /**
     * The home zone of a partition.
     *
     * @param otherwise the zone if the topic has no reader
     */
    public Zone zone(LogPartition partition, Zone otherwise) {
        Zone best = otherwise;
        double highest = Double.NEGATIVE_INFINITY;
        for (Weighted each : zones) {
            double score = each.score(partition);
            if (score > highest || (score == highest && each.zone.name().compareTo(best.name()) < 0)) {
                highest = score;
                best = each.zone;
            }
        }
        return best;
    }

    private record Weighted(Zone zone, int weight) {
        /** The largest score wins with a chance in proportion to the weight. */
        double score(LogPartition partition) {
            long mixed =
                    mix(mix(zone.name().hashCode() * 0x9E3779B97F4A7C15L + partition.topic()) + partition.partition());
            double uniform = ((mixed >>> 11) + 0.5) * 0x1.0p-53;
            return weight / -Math.log(uniform);
        }

        /** The finalizer of SplitMix64. */
        private static long mix(long value) {
            long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
            mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
            return mixed ^ (mixed >>> 31);
        }
    }
}
