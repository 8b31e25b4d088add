package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.owner.Promise;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a seed decides before a schedule of owners starts.
 *
 * @param applications of the cluster, which all use one store
 * @param hasStranger whether a cluster with another id uses the store, too
 * @param turns how many in three instances sweep, copies apart
 * @param faults the kinds of faults that may happen
 * @param strikes how many faults happen
 */
record OwnersSchedule(
        List<Application> applications, boolean hasStranger, int turns, Set<OwnersFault> faults, int strikes) {
    private static final List<Duration> BOUNDS =
            List.of(Duration.ofSeconds(10), Duration.ofSeconds(40), Duration.ofMinutes(2));

    /**
     * An application of Kafka Streams.
     *
     * @param topic that it writes
     * @param claims its claims topic
     * @param instances how many run
     * @param partitions of its topic
     * @param promises an instance starts with the settings of one of these
     * @param floor no younger blob may be deleted
     */
    record Application(
            String topic, String claims, int instances, int partitions, List<Promise> promises, Duration floor) {}

    /** The schedule of the time's seed. */
    static OwnersSchedule of(SimulatedTime time) {
        Set<OwnersFault> faults = EnumSet.noneOf(OwnersFault.class);
        for (OwnersFault fault : OwnersFault.values()) {
            if (time.random(OwnersFault.ENDING_SWEEPS.contains(fault) ? 4 : 3) == 0) {
                faults.add(fault);
            }
        }
        List<Application> applications = new ArrayList<>();
        for (String name : List.of("shop", "shop-eu", "stock").subList(0, 2 + time.random(2))) {
            applications.add(new Application(
                    name + "-repartition",
                    name + "-claims",
                    1 + time.random(2),
                    1 + time.random(2),
                    IntStream.range(0, 1 + time.random(3))
                            .mapToObj(number -> promise(time))
                            .toList(),
                    Duration.ofSeconds(time.random(3) == 0 ? 90 : 0)));
        }
        return new OwnersSchedule(applications, time.random(4) == 0, time.random(4), faults, 15 + time.random(25));
    }

    private static Promise promise(SimulatedTime time) {
        Optional<Duration> retention =
                time.random(4) == 0 ? Optional.of(Duration.ofSeconds(180 + time.random(180))) : Optional.empty();
        return new Promise(BOUNDS.get(time.random(BOUNDS.size())), retention);
    }
}
