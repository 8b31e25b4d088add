package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the sweeper of an instance asks: the simulated logs, and a right that nobody contests.
 * Guarded by the simulation's baton.
 */
final class Sweeps implements SweepSource {
    /** The topic of all partitions. */
    static final String TOPIC = "shuffle";

    private final World world;

    Sweeps(World world) {
        this.world = world;
    }

    @Override
    public boolean covers(String topic) {
        return topic.equals(TOPIC);
    }

    @Override
    public SweepRight right(BlobStore store, Time time) {
        return new SweepRight() {
            @Override
            public StoreClock clock() {
                return new StoreConditions(store, time).require();
            }

            @Override
            public void raise() {
                world.time().pause();
            }

            @Override
            public void requireOwn() {
                world.time().pause();
            }
        };
    }

    @Override
    public NotificationLogs logs(Time time) {
        return world.seams().logs(new Logs());
    }

    private final class Logs implements NotificationLogs {
        @Override
        public Set<String> topics() {
            return Set.of(TOPIC);
        }

        /** Others write and purge meanwhile. */
        @Override
        public Map<Partition, Extent> read(Set<String> topics, Receiver receiver) throws InterruptedException {
            SimulatedTime time = world.time();
            SimulatedLog log = world.log();
            Map<Partition, Extent> extents = new HashMap<>();
            for (int number = 0; number < log.partitionCount(); number++) {
                extents.put(new Partition(TOPIC, number), new Extent(log.start(number), log.end(number)));
            }
            time.pause();
            for (Map.Entry<Partition, Extent> extent : extents.entrySet()) {
                Partition partition = extent.getKey();
                for (long offset = extent.getValue().start();
                        offset < extent.getValue().end();
                        offset++) {
                    if (time.random(10) == 0) {
                        time.pause(Duration.ofMillis(time.random(5)));
                    }
                    long position = offset;
                    log.notification(partition.number(), position)
                            .ifPresent(notification -> receiver.notification(partition, position, notification, true));
                    receiver.read(100);
                }
            }
            return extents;
        }

        @Override
        public void close() {}
    }
}
