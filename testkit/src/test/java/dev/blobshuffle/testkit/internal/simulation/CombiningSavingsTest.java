package dev.blobshuffle.testkit.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.combine.CombineOptions;
import dev.blobshuffle.core.internal.combine.CombiningSink;
import dev.blobshuffle.core.internal.combine.HandOver;
import dev.blobshuffle.core.internal.combine.Hub;
import dev.blobshuffle.core.internal.combine.Hubs;
import dev.blobshuffle.core.internal.combine.PartAnswer;
import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.membership.Endpoint;
import dev.blobshuffle.core.internal.membership.FixedZoneMap;
import dev.blobshuffle.core.internal.membership.Member;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.internal.write.options.BatcherOptions.Sealing;
import dev.blobshuffle.core.internal.write.upload.StoreSink;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedProcess;
import dev.blobshuffle.simulator.SimulatedTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What combining saves for eight small instances of a zone, in virtual time. */
class CombiningSavingsTest {
    private static final int INSTANCES = 8;
    private static final int OWNER = 7;
    private static final Duration RUN = Duration.ofSeconds(30);
    private static final Duration DELAY = Duration.ofMillis(500);
    private static final Zone ZONE = new Zone("a");
    private static final Member HUB = new Member(99, new Endpoint("hub", 1), ZONE, Set.of(), 3);

    /** Puts, the metric blobs-stored, and nanoseconds from append to notification. */
    private record Outcome(long puts, long blobsOfInstances, long blobsOfHub, List<Long> latencies) {
        long p95() {
            List<Long> sorted = latencies.stream().sorted().toList();
            return sorted.get((int) (sorted.size() * 0.95));
        }
    }

    private static final class Run {
        final SimulatedTime time = new SimulatedTime(1);
        final MemoryBlobStore memory = new MemoryBlobStore("savings", 1L << 30);
        final List<Long> latencies = new ArrayList<>();
        final boolean isCombining;
        final List<ShuffleMetrics> instances = new ArrayList<>();
        long puts;
        Hub hub;

        Run(boolean isCombining) {
            this.isCombining = isCombining;
        }

        BlobStore store(Time own) {
            return new ForwardingBlobStore(memory) {
                @Override
                public CompletionStage<Integer> owner() {
                    return CompletableFuture.completedFuture(OWNER);
                }

                @Override
                public CompletionStage<Void> put(BlobId id, BlobContent content) {
                    puts++;
                    content.retain();
                    CompletableFuture<Void> end = new CompletableFuture<>();
                    own.schedule(
                            Duration.ofMillis(60 + time.random(80)),
                            () -> super.put(id, content).whenComplete((stored, failure) -> {
                                content.release();
                                end.complete(null);
                            }));
                    return end;
                }
            };
        }

        private HandOver handOver(Time own) {
            return (member, id, part) -> {
                CompletableFuture<PartAnswer> answer = new CompletableFuture<>();
                ByteBuffer copy = ByteBuffer.allocate((int) part.length());
                part.buffers().forEach(copy::put);
                own.schedule(Duration.ofMillis(1), () -> {
                    assertThat(hub.reserve(copy.capacity())).isTrue();
                    hub.take(id, copy.flip(), () -> {}).thenAccept(answer::complete);
                });
                return answer;
            };
        }

        private void start(int number, CombineOptions options) {
            SimulatedProcess process = time.process("instance-" + number);
            ShuffleMetrics metrics = new ShuffleMetrics(process);
            instances.add(metrics);
            ShuffleEngine.Builder builder = ShuffleEngine.builder(store(process), process)
                    .metrics(metrics)
                    .batching(BatcherOptions.builder()
                            .delay(DELAY)
                            .sealing(isCombining ? Sealing.ALIGNED : Sealing.AFTER_DELAY)
                            .build());
            if (isCombining) {
                builder.sinks(own -> new CombiningSink(
                        new StoreSink(own.store()),
                        own.store(),
                        handOver(process),
                        new Hubs(new FixedZoneMap(List.of(HUB)), ZONE, number, Optional.empty(), process),
                        options,
                        process,
                        metrics));
            }
            ShuffleEngine engine = builder.build();
            process.actor("writer", () -> {
                time.pause(Duration.ofMillis(time.random(500)));
                try (Lane lane = engine.lane("lane-" + number, new Latencies())) {
                    while (time.elapsed().compareTo(RUN) < 0) {
                        Partition partition = new Partition("t", time.random(12));
                        lane.output(partition, ZONE).append(process.nanos() / 1000, null, new byte[500], Headers.NONE);
                        time.pause(Duration.ofMillis(1 + time.random(10)));
                    }
                    lane.flush(Duration.ofMinutes(1));
                }
                engine.close();
            });
        }

        Outcome run() {
            CombineOptions options = CombineOptions.of(4 << 20, 16 << 20, 64 << 20);
            SimulatedProcess process = time.process("hub");
            ShuffleMetrics ofHub = new ShuffleMetrics(process);
            hub = new Hub(store(process), options, process, ofHub, new Hub.Names(99, 0), any -> true);
            for (int number = 0; number < INSTANCES; number++) {
                start(number, options);
            }
            time.run();
            hub.close();
            time.close();
            long ofInstances = instances.stream()
                    .mapToLong(metrics -> metrics.value(Counter.BLOBS_STORED))
                    .sum();
            return new Outcome(puts, ofInstances, ofHub.value(Counter.BLOBS_STORED), latencies);
        }

        /** Timestamps are microseconds of the monotonic clock. */
        private final class Latencies implements Channel {
            @Override
            public void send(
                    Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
                latencies.add(time.nanos() - earliest * 1000);
                delivery.delivered();
            }

            @Override
            public void send(Partition partition, SegmentRecords records, Delivery delivery) {
                throw new AssertionError("nothing is inlined");
            }

            @Override
            public void flush() {}
        }
    }

    @Test
    void eightInstancesNeedASixthOfThePutsAndHardlyMoreTime() {
        Outcome alone = new Run(false).run();
        Outcome combined = new Run(true).run();
        assertThat(combined.puts()).isLessThanOrEqualTo(alone.puts() / 6);
        assertThat(alone.blobsOfInstances()).isEqualTo(alone.puts());
        assertThat(combined.blobsOfInstances()).as("blobs, not parts").isZero();
        assertThat(combined.blobsOfHub()).isEqualTo(combined.puts());
        assertThat(combined.p95())
                .isLessThan(alone.p95() + Duration.ofMillis(100).toNanos());
    }
}
