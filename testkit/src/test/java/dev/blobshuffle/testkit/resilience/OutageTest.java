package dev.blobshuffle.testkit.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.engine.ShuffleEngine;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.Counter;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.zone.Zone;
import dev.blobshuffle.simulator.SimulatedTime;
import dev.blobshuffle.simulator.store.FaultyBlobStore;
import dev.blobshuffle.simulator.store.StoreFault;
import dev.blobshuffle.simulator.store.StoreFault.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What commits of an engine see of a store that goes down and comes back, in virtual time. */
class OutageTest {
    private static final Partition PARTITION = new Partition("t", 0);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final SimulatedTime time = new SimulatedTime(17);
    private final FaultyBlobStore faulty =
            new FaultyBlobStore(new MemoryBlobStore("outage", 1 << 24), time, request -> StoreFault.NONE);
    private final Sent sent = new Sent();

    @AfterEach
    void end() {
        faulty.close();
        time.close();
    }

    private static final class Sent implements Channel {
        private int notifications;
        private int plain;

        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            notifications++;
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            plain += records.count();
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }

    private ShuffleEngine engine(BatcherOptions.Builder batching) {
        return ShuffleEngine.builder(faulty, time)
                .batching(batching.delay(Duration.ofMillis(10)).build())
                .build();
    }

    /** How long one record takes from append to the end of the flush. */
    private Duration commit(Lane lane) {
        Duration begin = time.elapsed();
        lane.output(PARTITION, Zone.SINGLE).append(1, new byte[8], new byte[100], Headers.NONE);
        lane.flush(LONG);
        return time.elapsed().minus(begin);
    }

    @Test
    void withAFallbackCommitsStopWaitingOnceTheStoreIsKnownToBeDown() {
        ShuffleEngine engine = engine(BatcherOptions.builder().fallback(new BatcherOptions.Fallback(1 << 20, 1 << 20)));
        List<Duration> down = new ArrayList<>();
        time.actor("writer", () -> {
            Lane lane = engine.lane("lane", sent);
            commit(lane);
            faulty.follow(request -> StoreFault.of(Kind.FAIL_BEFORE));
            for (int i = 0; i < 20; i++) {
                down.add(commit(lane));
            }
            faulty.follow(request -> StoreFault.NONE);
            time.pause(Duration.ofSeconds(10)); // Longer than the longest pause between probes.
            commit(lane);
            lane.close();
        });
        time.run();
        assertThat(down.get(0)).isLessThan(Duration.ofSeconds(6));
        assertThat(down.subList(5, 20)).allMatch(each -> each.compareTo(Duration.ofMillis(500)) < 0);
        assertThat(sent.plain).isEqualTo(20);
        assertThat(sent.notifications).isEqualTo(2);
        assertThat(engine.metrics().value(Counter.STORE_OUTAGES)).isEqualTo(1);
        engine.close();
    }

    @Test
    void withoutOneACommitWaitsUntilTheStoreIsBack() {
        ShuffleEngine engine = engine(BatcherOptions.builder().deliveryTimeout(LONG));
        List<Duration> waited = new ArrayList<>();
        time.actor("writer", () -> {
            Lane lane = engine.lane("lane", sent);
            faulty.follow(request -> StoreFault.of(Kind.FAIL_BEFORE));
            time.schedule(Duration.ofSeconds(60), () -> faulty.follow(request -> StoreFault.NONE));
            waited.add(commit(lane));
            lane.close();
        });
        time.run();
        assertThat(waited.get(0)).isBetween(Duration.ofSeconds(59), Duration.ofSeconds(75));
        assertThat(sent.notifications).isEqualTo(1);
        assertThat(sent.plain).isZero();
        assertThat(faulty.faults()).isLessThan(30); // A minute, and the store was hardly bothered.
        engine.close();
    }
}
