package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.time.Signal;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * A process that stands still at any moment, for longer than a sweep waits, never sends a
 * notification whose blob a sweep may have deleted. The sweep deletes each blob as early as it may:
 * an interval after it was stored, unless the notification is in the log by then.
 *
 * <p>The channel behaves as Kafka's producer does. It fails a record when
 * {@code delivery.timeout.ms} is over, but a producer that wakes up sends what it has just failed
 * once more, if the broker still has the connection, which it closes after ten minutes.
 */
class StandstillSimulationTest {
    private static final int SEEDS = Integer.getInteger("standstill.seeds", 150);
    private static final Duration INTERVAL = Duration.ofMinutes(20);
    private static final Duration RESERVE = Duration.ofMinutes(15);
    private static final Duration IDLE_CONNECTION = Duration.ofMinutes(10);
    private static final Duration DELIVERY = Duration.ofSeconds(30);
    private static final Duration PRODUCER_DELIVERY = Duration.ofMinutes(1);
    private static final Partition P0 = new Partition("t", 0);

    @Test
    void noNotificationOutlivesItsBlob() {
        int sent = 0;
        int tooLate = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            World world = run(seed, INTERVAL.minus(RESERVE), PRODUCER_DELIVERY);
            assertThat(world.dangling)
                    .as("seed %d: notifications of deleted blobs", seed)
                    .isZero();
            sent += world.sent;
            tooLate += world.tooLate;
        }
        assertThat(sent).as("notifications sent").isGreaterThan(SEEDS);
        assertThat(tooLate).as("lanes that failed in time").isPositive();
    }

    /** Control: without the bound on the age of a batch. */
    @Test
    void lanesThatSendWhateverItsAgeAreNoticed() {
        assertThat(isNoticed(Duration.ofDays(1), PRODUCER_DELIVERY)).isTrue();
    }

    /** Control: the producer's timeout that the start refuses. */
    @Test
    void producerThatHoldsNotificationsLongerThanASweepWaitsIsNoticed() {
        assertThat(isNoticed(INTERVAL.minus(RESERVE), Duration.ofMinutes(40))).isTrue();
    }

    private static boolean isNoticed(Duration notifyWithin, Duration producerDelivery) {
        for (int seed = 0; seed < SEEDS; seed++) {
            if (run(seed, notifyWithin, producerDelivery).dangling > 0) {
                return true;
            }
        }
        return false;
    }

    private static World run(long seed, Duration notifyWithin, Duration producerDelivery) {
        try (SimulatedTime time = new SimulatedTime(seed);
                MemoryBlobStore memory = new MemoryBlobStore("test", 1 << 20)) {
            World world = new World(time, producerDelivery);
            BatcherOptions options = BatcherOptions.builder()
                    .delay(Duration.ofMillis(200))
                    .deliveryTimeout(DELIVERY)
                    .notifyWithin(notifyWithin)
                    .build();
            Batcher batcher = new Batcher(world.store(memory), options, world.process, new ShuffleMetrics());
            time.actor("stopper", () -> {
                for (int stops = 1 + time.random(3); stops > 0; stops--) {
                    time.pause(Duration.ofMillis(time.random(4_000)));
                    world.process.stop(Duration.ofSeconds(time.random(1_500)));
                    time.pause(Duration.ofNanos(Math.max(0, world.process.left())));
                }
                world.isOver = true;
            });
            time.actor("writer", () -> world.write(batcher));
            time.run();
            return world;
        }
    }

    /** The log, what is known of blobs, and the writer. Guarded by the simulation's baton. */
    private static final class World implements Channel {
        final SimulatedTime time;
        final StoppingTime process;
        final Duration producerDelivery;
        final Map<BlobId, Long> storedAt = new HashMap<>();
        boolean isOver;
        int sent;
        int dangling;
        int tooLate;

        World(SimulatedTime time, Duration producerDelivery) {
            this.time = time;
            this.process = new StoppingTime(time);
            this.producerDelivery = producerDelivery;
        }

        void write(Batcher batcher) {
            Lane lane = batcher.lane("lane", this);
            while (!isOver) {
                try {
                    lane.output(P0, Zone.SINGLE).append(0, null, new byte[10], Headers.NONE);
                    if (time.random(3) == 0) {
                        lane.flush(Duration.ofMinutes(2));
                    }
                } catch (BlobShuffleException e) {
                    if (e.getMessage().contains("stood still")) {
                        tooLate++;
                    }
                    lane.discard();
                }
                time.pause(Duration.ofMillis(time.random(500)));
                process.awaitAwake();
            }
            lane.close();
            batcher.close();
        }

        /**
         * A store across a network: a request has its effect while the process stands still, its
         * answer waits.
         */
        ForwardingBlobStore store(MemoryBlobStore memory) {
            return new ForwardingBlobStore(memory) {
                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    CompletableFuture<Void> answer = new CompletableFuture<>();
                    content.retain();
                    var effect = time.schedule(Duration.ofMillis(1 + time.random(2_000)), () -> {
                        content.release();
                        storedAt.put(id, time.nanos());
                        var back =
                                process.schedule(Duration.ofMillis(1 + time.random(50)), () -> answer.complete(null));
                    });
                    return answer;
                }
            };
        }

        @Override
        public Duration longestDelivery() {
            return producerDelivery;
        }

        @Override
        public void send(Partition partition, Notification notification, long earliest, long latest, Delivery end) {
            long taken = time.nanos();
            long held = time.random(4) == 0 ? time.random((int) producerDelivery.toMillis()) : time.random(100);
            var pass = process.schedule(Duration.ofMillis(held), () -> {
                boolean isExpired = time.nanos() - taken > producerDelivery.toNanos();
                if (!isExpired || process.lastStop.compareTo(IDLE_CONNECTION) < 0) {
                    sent++;
                    long stored = storedAt.get(notification.blob());
                    dangling += time.nanos() - stored > INTERVAL.toNanos() ? 1 : 0;
                }
                if (isExpired) {
                    end.failed(new IllegalStateException("expired"));
                } else {
                    end.delivered();
                }
            });
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            throw new AssertionError("nothing is inlined");
        }

        @Override
        public void flush() {}
    }

    /**
     * The time of a process that can be stopped: its timers, tasks and waits go on when it wakes
     * up, in any order.
     */
    private static final class StoppingTime implements Time {
        private final SimulatedTime time;
        private long wakes;
        Duration lastStop = Duration.ZERO;

        StoppingTime(SimulatedTime time) {
            this.time = time;
            this.wakes = time.nanos();
        }

        void stop(Duration span) {
            wakes = time.nanos() + span.toNanos();
            lastStop = span;
        }

        long left() {
            return wakes - time.nanos();
        }

        void awaitAwake() {
            while (left() > 0) {
                time.pause(Duration.ofNanos(left() + time.random(50_000_000)));
            }
        }

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            boolean[] isCancelled = new boolean[1];
            var first = time.schedule(delay, () -> whenAwake(isCancelled, task));
            return () -> isCancelled[0] = true;
        }

        private void whenAwake(boolean[] isCancelled, Runnable task) {
            if (isCancelled[0]) {
                return;
            }
            if (left() > 0) {
                var again = time.schedule(
                        Duration.ofNanos(left() + time.random(50_000_000)), () -> whenAwake(isCancelled, task));
            } else {
                task.run();
            }
        }

        @Override
        public Workers workers(String name, int threads) {
            Workers workers = time.workers(name, threads);
            return new Workers() {
                @Override
                public void execute(Runnable task) {
                    workers.execute(() -> {
                        awaitAwake();
                        task.run();
                    });
                }

                @Override
                public void close() {
                    workers.close();
                }
            };
        }

        @Override
        public Signal signal() {
            Signal signal = time.signal();
            return new Signal() {
                @Override
                public long count() {
                    return signal.count();
                }

                @Override
                public void raise() {
                    signal.raise();
                }

                @Override
                public boolean await(long seen, long deadlineNanos) throws InterruptedException {
                    boolean isRaised = signal.await(seen, deadlineNanos);
                    awaitAwake();
                    return isRaised;
                }
            };
        }

        @Override
        public long wallMillis() {
            return time.wallMillis();
        }

        @Override
        public long nanos() {
            return time.nanos();
        }

        @Override
        public long randomLong() {
            return time.randomLong();
        }
    }
}
