package dev.blobshuffle.log.internal.group;

import dev.blobshuffle.core.zone.Zone;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The home zone of each partition of a topic. Writers put a partition's records into the section of
 * its home zone, and each group prefers readers there. So several groups need no more reads of a
 * blob than one.
 *
 * <p>The home zones follow from the zones of the topic's readers, so each instance derives the same
 * ones. A zone is home to exactly its readers' share of the partitions, rounded, so that balanced
 * groups have room for all of them. Hashes decide which partitions these are, the highest first, so
 * a change by one reader moves few partitions. Results do not depend on home zones.
 *
 * <p>Immutable. Costs a sort of partitions times zones, and four bytes per partition.
 */
public final class HomeZones {
    private final int topic;
    private final List<Zone> zones;
    private final int[] homes;

    private HomeZones(int topic, List<Zone> zones, int[] homes) {
        this.topic = topic;
        this.zones = zones;
        this.homes = homes;
    }

    /** The home zones of a topic without readers. */
    public static HomeZones none() {
        return new HomeZones(0, List.of(), new int[0]);
    }

    /**
     * The home zones of a topic.
     *
     * @param topic its number
     * @param partitions number of its partitions
     * @param readers number of readers per zone; zones without a reader do not count
     */
    public static HomeZones of(int topic, int partitions, Map<Zone, Integer> readers) {
        List<Zone> zones = readers.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(Map.Entry::getKey)
                .sorted(Comparator.comparing(Zone::name))
                .toList();
        if (zones.isEmpty() || partitions == 0) {
            return none();
        }
        int[] room = shares(topic, partitions, zones, readers);
        int[] homes = new int[partitions];
        Arrays.fill(homes, -1);
        long[] byAffinity = pairs(topic, partitions, zones);
        long pairs = pairMask(byAffinity.length);
        for (int i = byAffinity.length - 1; i >= 0; i--) {
            int pair = (int) (byAffinity[i] & pairs);
            int partition = pair / zones.size();
            int zone = pair % zones.size();
            if (homes[partition] < 0 && room[zone] > 0) {
                homes[partition] = zone;
                room[zone]--;
            }
        }
        return new HomeZones(topic, zones, homes);
    }

    /**
     * The number of partitions of each zone; the largest remainders get the partitions that do not
     * divide evenly.
     */
    private static int[] shares(int topic, int partitions, List<Zone> zones, Map<Zone, Integer> readers) {
        long all = zones.stream().mapToLong(zone -> weight(readers, zone)).sum();
        int[] shares = new int[zones.size()];
        int rest = partitions;
        for (int i = 0; i < shares.length; i++) {
            shares[i] = Math.toIntExact(partitions * weight(readers, zones.get(i)) / all);
            rest -= shares[i];
        }
        Comparator<Integer> byRemainder =
                Comparator.comparingLong(i -> -(partitions * weight(readers, zones.get(i)) % all));
        IntStream.range(0, shares.length)
                .boxed()
                .sorted(byRemainder.thenComparingLong(i -> affinity(topic, -1, zones.get(i))))
                .limit(rest)
                .forEach(i -> shares[i]++);
        return shares;
    }

    private static long weight(Map<Zone, Integer> readers, Zone zone) {
        return readers.getOrDefault(zone, 0);
    }

    /**
     * All pairs of a partition and a zone, the best fits last: the hash, and the number of the
     * pair.
     */
    private static long[] pairs(int topic, int partitions, List<Zone> zones) {
        long[] pairs = new long[Math.multiplyExact(partitions, zones.size())];
        long mask = pairMask(pairs.length);
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = affinity(topic, i / zones.size(), zones.get(i % zones.size())) & ~mask | i;
        }
        Arrays.sort(pairs);
        return pairs;
    }

    private static long pairMask(int pairs) {
        return (Integer.highestOneBit(pairs) << 1) - 1L;
    }

    /**
     * The home zone of a partition; null if the topic has no reader, or fewer partitions.
     *
     * @throws IllegalArgumentException these are the homes of another topic
     */
    public @Nullable Zone zone(LogPartition partition) {
        if (zones.isEmpty() || partition.partition() >= homes.length) {
            return null;
        }
        if (partition.topic() != topic) {
            throw new IllegalArgumentException(
                    "Cannot find the home of partition " + partition + " among those of topic " + topic + ".");
        }
        return zones.get(homes[partition.partition()]);
    }

    /** How well a partition fits a zone: the same in each instance and group. */
    static long affinity(LogPartition partition, Zone zone) {
        return affinity(partition.topic(), partition.partition(), zone);
    }

    private static long affinity(int topic, int partition, Zone zone) {
        return mix(mix(zone.name().hashCode() * 0x9E3779B97F4A7C15L + topic) + partition);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
