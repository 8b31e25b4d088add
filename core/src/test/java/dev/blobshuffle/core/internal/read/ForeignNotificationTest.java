package dev.blobshuffle.core.internal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Notifications in the wrong partition or store, or whose key is missing. */
class ForeignNotificationTest {
    private final DebatcherFixture fixture = new DebatcherFixture(1 << 20);
    private final Notification notification = fixture.blobs.segment(SegmentFixture.rows("a", 3));

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({"t, 1", "other, 0"})
    void aNotificationThatWasCopiedElsewhereDeliversNothing(String topic, int number) {
        fixture.debatcher.offer(new Partition(topic, number), 0, notification, 0, "c");
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> fixture.drainUntil(1))
                .withMessageContaining("another partition or topic")
                .withMessageContaining("blobshuffle skip");
        assertThat(fixture.store.reads()).isEmpty();
        assertThat(fixture.sink.values).isEmpty();
    }

    @Test
    void aNotificationThatWasForgedForAnotherPartitionDeliversNothing() {
        Partition other = new Partition("t", 1);
        Notification forged = bound(new Binding(Binding.tag(other), Optional.empty()));
        fixture.debatcher.offer(other, 0, forged, 0, "c");
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> fixture.drainUntil(1));
        assertThat(fixture.sink.values).isEmpty();
    }

    @Test
    void aMissingKeyIsNamedBeforeAnythingIsRead() {
        Partition partition = new Partition("t", 0);
        Notification encrypted = bound(new Binding(Binding.tag(partition), Optional.of("k7")));
        fixture.debatcher.offer(partition, 0, encrypted, 0, "c");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> fixture.drainUntil(1))
                .withMessageContaining("'k7'")
                .withMessageContaining("blobshuffle.encryption.keys");
        assertThat(fixture.store.reads()).isEmpty();
    }

    private Notification bound(Binding binding) {
        return new Notification(
                notification.blob(),
                notification.store(),
                notification.sectionOffset(),
                notification.sectionLength(),
                notification.segmentOffset(),
                notification.segmentLength(),
                notification.records(),
                notification.codec(),
                notification.checksum(),
                Optional.of(binding));
    }
}
