package dev.blobshuffle.core.internal.read;

import static dev.blobshuffle.core.internal.read.DebatcherFixture.P0;
import static dev.blobshuffle.core.internal.read.DebatcherFixture.P1;
import static dev.blobshuffle.core.internal.read.SegmentFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.shuffle.Debatcher;
import dev.blobshuffle.core.internal.shuffle.Debatcher.Position;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Blobs that are missing in the store: the reader asks for them again, then throws, and reads them
 * once they are restored.
 */
class MissingBlobTest {
    private static final Duration ALL_WAITS = Duration.ofSeconds(4);

    private final SteppedTime time = new SteppedTime();
    private final DebatcherFixture fixture = new DebatcherFixture(64 << 20, time);
    private final Debatcher<String> debatcher = fixture.debatcher;

    @AfterEach
    void everyByteCameBack() {
        fixture.close();
        assertThat(time.pending()).as("timers left").isZero();
        time.close();
    }

    private void offer(Partition partition, long offset, Notification notification) {
        debatcher.offer(partition, offset, notification, 0, "c" + offset);
    }

    private void missing(int reads) {
        for (int i = 0; i < reads; i++) {
            fixture.store.fail(new BlobMissingException("Cannot read: the test hides it."));
        }
    }

    @Test
    void blobThatAppearsWithinSecondsIsRead() {
        missing(3);
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.offer(P1, 0, 1, "plain");
        debatcher.prefetch();
        assertThat(fixture.drain()).as("others go on meanwhile").containsExactly("plain");
        assertThat(debatcher.isFetching()).as("so that polls come back soon").isTrue();

        time.advance(Duration.ofMillis(699));
        assertThat(fixture.drain()).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(fixture.drain()).containsExactly("a-0", "a-1");
        assertThat(fixture.store.reads()).hasSize(4);
        assertThat(fixture.store.reads().get(3).isAfresh())
                .as("past the caches")
                .isTrue();
    }

    @Test
    void blobThatStaysMissingIsThrownAndReadWhenItIsRestored() {
        missing(8);
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(ALL_WAITS);
        assertThat(fixture.store.reads()).hasSize(6);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(fixture::drain).isInstanceOf(BlobMissingException.class);
            assertThat(debatcher.head(P0)).contains(new Position(0, 0));
        }
        assertThat(fixture.store.reads()).as("not asked with each call").hasSize(6);

        for (int i = 1; i <= 2; i++) {
            time.advance(Duration.ofSeconds(1));
            debatcher.prefetch();
            assertThat(fixture.store.reads()).as("asked once a second").hasSize(6 + i);
            assertThatThrownBy(fixture::drain).isInstanceOf(BlobMissingException.class);
        }
        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0", "a-1");
    }

    @Test
    void failureIsNotHiddenByAnotherPartitionButByAPause() {
        missing(6);
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(ALL_WAITS);
        debatcher.offer(P1, 0, 1, "plain");
        assertThat(debatcher.isReady()).isTrue();
        assertThatThrownBy(fixture::drain).isInstanceOf(BlobMissingException.class);
        debatcher.pause(P0);
        assertThat(fixture.drain()).containsExactly("plain");
    }

    @Test
    void failureIsNotForgottenBeforeItIsThrown() {
        missing(6);
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.prefetch();
        time.advance(ALL_WAITS);
        time.advance(Duration.ofMinutes(5));
        debatcher.prefetch();
        assertThatThrownBy(fixture::drain).isInstanceOf(BlobMissingException.class);
    }

    @Test
    void blobThatWasMissingWhenItWasReadAheadIsAskedForAgainInItsTurn() {
        offer(P0, 0, fixture.blobs.segment(rows("a", 1)));
        offer(P0, 1, fixture.blobs.segment(rows("b", 1)));
        fixture.store.hold();
        debatcher.prefetch();
        fixture.store.hideLast(6);
        fixture.store.release();
        time.advance(ALL_WAITS);
        time.advance(Duration.ofMinutes(5)); // The blob has been restored.
        assertThat(fixture.drain()).contains("a-0");
        assertThat(fixture.drain()).containsExactly("b-0");
    }

    @Test
    void partitionThatIsDroppedBetweenTwoQuestionsReturnsItsBytes() {
        missing(1);
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.prefetch();
        assertThat(fixture.engine.budget().used()).isPositive();
        debatcher.drop(P0);
        assertThat(fixture.engine.budget().used()).isZero();
        time.advance(ALL_WAITS);
        assertThat(fixture.store.reads()).hasSize(1);
    }

    @Test
    void corruptBlobThatIsRestoredIsReadToo() {
        for (int i = 0; i < 4; i++) {
            fixture.store.falsify(bytes -> new byte[bytes.length]);
        }
        offer(P0, 0, fixture.blobs.segment(rows("a", 2)));
        debatcher.prefetch();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 5; i++) {
                        fixture.drain();
                    }
                })
                .isInstanceOf(BlobCorruptException.class);
        time.advance(Duration.ofSeconds(1));
        debatcher.prefetch();
        assertThat(fixture.drain()).containsExactly("a-0", "a-1");
    }

    @Test
    void notificationOfAnotherStoreIsNeverAskedFor() {
        Notification of = fixture.blobs.segment(rows("a", 2));
        offer(
                P0,
                0,
                new Notification(
                        of.blob(),
                        of.store() + 1,
                        of.sectionOffset(),
                        of.sectionLength(),
                        of.segmentOffset(),
                        of.segmentLength(),
                        of.records(),
                        of.codec(),
                        of.checksum()));
        for (int i = 0; i < 3; i++) {
            debatcher.prefetch();
            assertThatThrownBy(fixture::drain).isInstanceOf(InvalidSettingsException.class);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(fixture.store.reads()).isEmpty();
    }
}
