package dev.blobshuffle.core.internal.read;

import static dev.blobshuffle.core.internal.read.DebatcherFixture.P0;
import static dev.blobshuffle.core.internal.read.SegmentFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of the queue. {@link PrefetchingDebatcherTest} tests the Debatcher around it. */
class PartitionQueueTest {
    private final DebatcherFixture fixture = new DebatcherFixture(1 << 20);
    private final SharedReader reader = fixture.engine.shared().open();
    private final PartitionQueue<String> queue =
            new PartitionQueue<>(fixture.engine, P0, reader, new SectionOrder(), () -> {});
    private final List<Fetch> arrived = new ArrayList<>();

    @AfterEach
    void everyByteCameBack() {
        reader.close();
        fixture.close();
    }

    /** Offers segments of one record each, and starts a fetch for each. */
    private void fetch(int segments) {
        FetchPlan plan = new FetchPlan(fixture.engine, reader, arrived::add);
        for (int i = 0; i < segments; i++) {
            queue.offer(i, fixture.blobs.segment(rows("r" + i, 1)), 0, "c");
            QueuedSegment<String> next = Objects.requireNonNull(queue.nextToFetch());
            assertThat(fixture.engine.budget().tryAcquire(next.planRead(1 << 10)))
                    .isTrue();
            queue.planned(next);
            plan.add(next);
        }
        plan.start();
    }

    @Test
    void arrivalsFreeTheirPlaces() {
        fixture.store.hold();
        fetch(2);
        assertThat(queue.fetches()).isEqualTo(2);

        fixture.store.release();
        arrived.forEach(Fetch::announce);
        assertThat(queue.fetches()).isZero();
        queue.clear();
    }

    @Test
    void droppedSegmentsFreeTheirPlacesOnce() {
        fixture.store.hold();
        fetch(2);
        fixture.store.releaseLast();
        arrived.forEach(Fetch::announce);
        assertThat(queue.fetches()).isEqualTo(1);

        queue.clear();
        assertThat(queue.fetches()).isZero();

        fixture.store.release();
        arrived.forEach(Fetch::announce);
        assertThat(queue.fetches()).isZero();
    }
}
