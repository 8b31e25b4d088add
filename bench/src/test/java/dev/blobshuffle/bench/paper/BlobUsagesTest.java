package dev.blobshuffle.bench.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.simulator.SimulatedTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BlobUsagesTest {
    private static final BlobId SLOW = new BlobId(1, 1, 1);
    private static final BlobId FAST = new BlobId(1, 1, 2);

    private static void store(BlobUsages usages, BlobUsages.Writer writer, BlobId blob) {
        writer.wasStored(blob);
        usages.wasSent(blob);
        usages.wasRead(blob);
    }

    @Test
    void blobIsKeptWhileAnEarlierPutOfItsWriterMayHoldNotificationsBack() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            BlobUsages usages = new BlobUsages(time);
            BlobUsages.Writer writer = usages.writer();
            writer.puts(SLOW);
            writer.puts(FAST);
            store(usages, writer, FAST);
            time.schedule(Duration.ofSeconds(10), () -> {
                assertThat(usages.removeRead()).isEmpty();
                writer.wasStored(SLOW);
                usages.wasSent(SLOW);
                usages.wasSent(FAST);
                assertThat(usages.orderWait(FAST))
                        .isEqualTo(Duration.ofSeconds(10).toNanos());
                assertThat(usages.orderWait(SLOW)).isZero();
                usages.wasRead(SLOW);
                usages.wasRead(FAST);
            });
            time.schedule(
                    Duration.ofSeconds(11),
                    () -> assertThat(usages.removeRead()).isEmpty());
            time.schedule(
                    Duration.ofSeconds(13),
                    () -> assertThat(usages.removeRead()).containsExactlyInAnyOrder(SLOW, FAST));
            time.run();
        }
    }

    @Test
    void putsOfOtherWritersKeepNothing() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            BlobUsages usages = new BlobUsages(time);
            usages.writer().puts(SLOW);
            BlobUsages.Writer writer = usages.writer();
            writer.puts(FAST);
            store(usages, writer, FAST);
            time.schedule(
                    Duration.ofSeconds(2), () -> assertThat(usages.removeRead()).containsExactly(FAST));
            time.run();
        }
    }

    @Test
    void secondPutThatSucceedsAfterTheDeletionIsDeletedToo() {
        try (SimulatedTime time = new SimulatedTime(1)) {
            BlobUsages usages = new BlobUsages(time);
            BlobUsages.Writer writer = usages.writer();
            writer.puts(FAST);
            store(usages, writer, FAST);
            time.schedule(Duration.ofSeconds(2), () -> {
                assertThat(usages.removeRead()).containsExactly(FAST);
                writer.wasStored(FAST);
                assertThat(usages.removeRead()).containsExactly(FAST);
                assertThatThrownBy(() -> usages.wasSent(FAST)).hasMessageContaining("Cannot find blob");
            });
            time.run();
        }
    }
}
