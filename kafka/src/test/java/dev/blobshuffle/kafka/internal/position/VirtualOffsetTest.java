package dev.blobshuffle.kafka.internal.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

class VirtualOffsetTest {
    @Test
    void positionAfterTheLastRecordOfASegmentIsTheCleanStartOfTheNextOffset() {
        long last = VirtualOffset.ofRecord(41, 9, 10);

        assertThat(last + 1).isEqualTo(VirtualOffset.of(42));
        assertThat(VirtualOffset.index(last + 1)).isZero();
    }

    @Test
    void positionAfterAnyOtherRecordPointsInsideTheSegment() {
        long third = VirtualOffset.ofRecord(41, 2, 10);

        assertThat(VirtualOffset.real(third + 1)).isEqualTo(41);
        assertThat(VirtualOffset.index(third + 1)).isEqualTo(3);
    }

    @Test
    void offsetsRiseThroughTheLargestSegment() {
        int count = VirtualOffset.LAST;
        long before = VirtualOffset.of(7) - 1;
        for (int index : new int[] {0, 1, count - 2, count - 1}) {
            long offset = VirtualOffset.ofRecord(7, index, count);
            assertThat(offset).isGreaterThan(before);
            before = offset;
        }
        assertThat(VirtualOffset.ofRecord(8, 0, 1)).isGreaterThan(before);
    }

    @Test
    void negativeOffsetsOfKafkaPassUnchanged() {
        assertThat(VirtualOffset.of(-1)).isEqualTo(-1);
        assertThat(VirtualOffset.real(-2)).isEqualTo(-2);
        assertThat(VirtualOffset.index(-1)).isZero();
    }

    @Test
    void largestRealOffsetLeavesRoomForThePositionAfterIt() {
        assertThat(VirtualOffset.ofRecord(VirtualOffset.MAX_REAL, 0, 1) + 1).isPositive();
        assertThatThrownBy(() -> VirtualOffset.of(VirtualOffset.MAX_REAL + 1)).isInstanceOf(KafkaException.class);
    }
}
