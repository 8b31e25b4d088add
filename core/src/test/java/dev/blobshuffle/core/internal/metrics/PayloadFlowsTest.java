package dev.blobshuffle.core.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PayloadFlowsTest {
    private static final Zone A = new Zone("a");
    private static final Zone B = new Zone("b");

    private final PayloadFlows flows = new PayloadFlows();

    @Test
    void onlyTheWayFromZoneToZoneCrosses() {
        assertThat(Flow.between(A, B).isCrossing()).isTrue();
        assertThat(List.of(Flow.between(A, A), Flow.toStore(A), Flow.fromStore(B)))
                .noneMatch(Flow::isCrossing);
    }

    @Test
    void aZoneThatIsCalledStoreIsNotTheStore() {
        assertThat(Flow.between(A, new Zone("store")).isCrossing()).isTrue();
        assertThat(Flow.between(A, new Zone("store"))).isNotEqualTo(Flow.toStore(A));
    }

    @Test
    void whoWatchesHearsOfEachFlowOnceWhetherItCameBeforeOrAfter() {
        List<Flow> heard = new ArrayList<>();
        flows.show(Flow.between(A, A));
        ShuffleMetrics.Registration watch = flows.watch(heard::add);
        flows.add(Flow.between(B, A), 3);
        flows.add(Flow.between(B, A), 4);
        flows.show(Flow.between(A, A));
        watch.close();
        flows.show(Flow.between(A, B));
        assertThat(heard).containsExactly(Flow.between(A, A), Flow.between(B, A));
        assertThat(flows.value(Flow.between(B, A))).isEqualTo(7);
        assertThat(flows.values()).hasSize(3).containsEntry(Flow.between(A, B), 0L);
    }

    @Test
    void membersThatInventZonesDoNotFillTheMemory() {
        for (int i = 0; i < 10_000; i++) {
            flows.add(Flow.between(new Zone("invented-" + i), A), 1);
        }
        assertThat(flows.values()).hasSizeLessThan(100);
        assertThat(flows.values().values().stream().mapToLong(bytes -> bytes).sum())
                .isEqualTo(10_000);
        assertThat(flows.values().keySet()).allMatch(Flow::isCrossing);
    }
}
