package dev.blobshuffle.testkit.internal.simulation;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.claim.OwnerWatch;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Membership;
import dev.blobshuffle.core.internal.owner.OwnerTiming;
import dev.blobshuffle.core.internal.retention.BlobLifetime;
import dev.blobshuffle.core.internal.retention.NotificationLogs;
import dev.blobshuffle.core.internal.retention.OwnerSweepRight;
import dev.blobshuffle.core.internal.retention.SweepRight;
import dev.blobshuffle.core.internal.retention.SweepSource;
import dev.blobshuffle.core.internal.retention.SweepTiming;
import dev.blobshuffle.core.internal.retention.Sweeper;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Engine;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.testkit.internal.simulation.OwnersCluster.Log;
import dev.blobshuffle.testkit.internal.simulation.OwnersSchedule.Application;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A running instance of an application: a real engine whose blobs wait for the owner, a real
 * sweeper, and a writer. Guarded by the simulation's baton.
 */
final class OwnersInstance extends OwnersUser {
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration FLUSH = Duration.ofMinutes(5);

    private final Application application;
    private final BlobStore watched;
    private final Engine engine;
    private boolean hasChecked;
    private int owner;

    OwnersInstance(OwnersWorld world, OwnersCluster cluster, Application application, Profile profile) {
        super(world, cluster, application.topic(), profile);
        this.application = application;
        watched = OwnerWatch.watched(store(), source(), OwnersWorld.TIMING, time);
        Duration half = promise().bound().dividedBy(2);
        BatcherOptions batching = BatcherOptions.builder()
                .delay(Duration.ofMillis(200))
                .deliveryTimeout(half)
                .notifyWithin(promise().bound())
                .build();
        engine = ShuffleEngine.builder(watched, time).batching(batching).build();
    }

    Application application() {
        return application;
    }

    /** Whether its process lives and has ended a check: the others hear of it. */
    boolean isPresent() {
        return process.isAlive() && hasChecked;
    }

    /** The owner that it has stored for last. */
    int owner() {
        return owner;
    }

    /** @param hasTurn whether it sweeps */
    void start(boolean hasTurn) {
        follow();
        Sweeper sweeper = new Sweeper(
                Optional.of(new SweepTiming(OwnersWorld.TIMING, LOOK)),
                BlobLifetime.of(promise().retention(), floor()),
                this::store,
                new Source(),
                engine.metrics(),
                time);
        if (hasTurn) {
            lead(sweeper.watch(Membership.none()).reading());
        }
        var ignored = process.actor("writer", this::write);
    }

    private void lead(Membership.Reading reading) {
        reading.subscribed(Set.of(application.topic()));
        reading.reads(IntStream.range(0, application.partitions())
                .mapToObj(number -> new Partition(application.topic(), number))
                .collect(Collectors.toSet()));
    }

    private void follow() {
        var ignored = watched.owner().whenComplete((known, failure) -> {
            if (failure == null) {
                hasChecked = true;
                owner = known;
            } else if (process.isAlive()) {
                var later = process.schedule(Duration.ofSeconds(1), this::follow);
            }
        });
    }

    private void write() {
        SimulatedTime chance = world.time();
        Lane lane = engine.lane("lane", new Producer());
        while (!world.isOver()) {
            try {
                Partition partition = new Partition(application.topic(), chance.random(application.partitions()));
                lane.output(partition, Zone.SINGLE).append(0, null, new byte[10], Headers.NONE);
                if (chance.random(3) == 0) {
                    lane.flush(FLUSH);
                }
            } catch (BlobShuffleException e) {
                lane.discard();
            }
            chance.pause(Duration.ofMillis(chance.random(16_000)));
        }
    }

    /** What the sweeper asks. The application's pattern covers the topics of others, too. */
    private final class Source implements SweepSource {
        @Override
        public boolean covers(String topic) {
            return true;
        }

        @Override
        public SweepRight right(OwnerTiming timing, Time sweeper) {
            return noted(OwnerSweepRight.own(source(), timing, sweeper));
        }

        @Override
        public NotificationLogs logs(Time sweeper) {
            return new OwnersLogs(cluster, world.time());
        }
    }

    /** A producer that holds some notifications for as long as it may. */
    private final class Producer implements Channel {
        @Override
        public Duration longestDelivery() {
            return promise().bound().dividedBy(2).minusSeconds(1);
        }

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            SimulatedTime chance = world.time();
            int most = chance.random(4) == 0 ? (int) longestDelivery().toMillis() : 100;
            owner = notification.blob().owner();
            var ignored = process.schedule(
                    Duration.ofMillis(chance.random(most)), () -> arrive(partition, notification, delivery));
        }

        private void arrive(Partition partition, Notification notification, Delivery delivery) {
            Optional<Log> log = cluster.log(partition);
            if (!world.store().holds(notification)) {
                world.ledger().violation("a notification arrived after its blob was deleted: " + notification.blob());
            }
            if (log.isPresent() && log.get().append(notification)) {
                delivery.delivered();
            } else {
                delivery.failed(new IllegalStateException("replicas are not in sync"));
            }
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw new AssertionError("nothing is inlined");
        }

        @Override
        public void flush() {}
    }
}
