package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.internal.claim.StoreClock;
import dev.blobshuffle.core.internal.claim.StoreConditions;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The source of an instance's sweeper: the simulated logs, and a right that no other instance
 * contests. Guarded by the simulation's baton.
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
    public SweepRight right(OwnerTiming timing, Time time) {
        return new Right(timing.raise(), time);
    }

    /** Allows each step when it is due. */
    private final class Right implements SweepRight {
        private final Duration step;
        private final Time time;
        private Optional<BlobStore> store = Optional.empty();
        private Stage stage = Stage.LIST;
        private long since;

        Right(Duration step, Time time) {
            this.step = step;
            this.time = time;
        }

        @Override
        public void use(BlobStore used) {
            store = Optional.of(used);
        }

        @Override
        public StoreClock clock() {
            return new StoreConditions(store.orElseThrow(), time).require();
        }

        @Override
        public Leave next() {
            world.time().pause();
            boolean isEarly = stage != Stage.LIST && time.nanos() - since < step.toNanos();
            return new Leave(isEarly ? Stage.WAIT : stage, world.owner(), Optional.empty(), Optional.empty());
        }

        @Override
        public Duration listed() {
            return go(Stage.DECIDE);
        }

        @Override
        public Duration decided() {
            return go(Stage.DELETE);
        }

        @Override
        public Duration over() {
            return go(Stage.LIST);
        }

        private Duration go(Stage next) {
            stage = next;
            since = time.nanos();
            return step;
        }

        @Override
        public void requireOwn() {
            world.time().pause();
        }
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
