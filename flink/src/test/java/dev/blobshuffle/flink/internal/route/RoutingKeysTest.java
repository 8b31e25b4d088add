package dev.blobshuffle.flink.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.flink.internal.reference.Reference;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoutingKeysTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 128, 1000, 32_768})
    void flinkAssignsEachKeyToItsGroup(int groups) {
        RoutingKeys keys = new RoutingKeys(groups);

        for (int group = 0; group < groups; group++) {
            Integer key = keys.getKey(Reference.toSegment(group, new byte[0]));
            assertThat(KeyGroupRangeAssignment.assignToKeyGroup(key, groups)).isEqualTo(group);
        }
    }
}
