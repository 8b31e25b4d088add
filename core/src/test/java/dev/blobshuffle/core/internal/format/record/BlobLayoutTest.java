package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.FooterCodec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.Trailer;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlobLayoutTest {
    private static final BlobId ID = new BlobId(1, 2, 3);

    @Test
    void bodiesAreNotCopied() {
        List<Frame> frames = TestSegments.frames(List.of(record(), record()), Codec.NONE, 40);
        BlobLayout layout = BlobLayout.of(ID, 0, 0, List.of(segment("a", frames)));
        for (Frame frame : frames) {
            assertThat(layout.buffers()).anySatisfy(buffer -> {
                assertThat(buffer.array()).isSameAs(frame.array());
                assertThat(buffer.arrayOffset()).isEqualTo(frame.offset());
                assertThat(buffer.remaining()).isEqualTo(frame.length());
            });
        }
        assertThat(layout.buffers()).hasSize(2 * frames.size() + 2);
    }

    @Test
    void aZoneHasOneSection() {
        List<Frame> frames = TestSegments.frames(List.of(record()), Codec.NONE, 40);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BlobLayout.of(
                        ID, 0, 0, List.of(segment("a", frames), segment("b", frames), segment("a", frames))))
                .withMessageContaining("Order them by zone");
    }

    @Test
    void aBlobOfNothingIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> BlobLayout.of(ID, 0, 0, List.of()));
    }

    @Test
    void segmentsWithMoreRecordsThanAPositionHoldsAreRefused() {
        byte[] body = new byte[3 * (1 << 19)];
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            Frame half = encoder.encode(body, 0, body.length, 1 << 19, 0);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> BlobLayout.of(ID, 0, 0, List.of(segment("a", List.of(half, half)))));
        }
    }

    @Test
    void aNewerBlobSaysToUpgrade() {
        byte[] blob = TestSegments.bytes(BlobLayout.of(
                ID, 0, 0, List.of(segment("a", TestSegments.frames(List.of(record()), Codec.NONE, 40)))));
        int trailer = blob.length - Trailer.LENGTH;
        blob[trailer + 8] = 4;
        LittleEndian.writeInt(blob, trailer + 12, Checksum.of(blob, trailer, 12));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> FooterCodec.decode(ByteBuffer.wrap(blob), blob.length))
                .withMessageContaining("Upgrade the reader");
    }

    @Test
    void aNewerNotificationSaysToUpgrade() {
        BlobLayout layout =
                BlobLayout.of(ID, 0, 0, List.of(segment("a", TestSegments.frames(List.of(record()), Codec.NONE, 40))));
        byte[] bytes = NotificationCodec.encode(layout.notifications().get(0));
        bytes[1] = 4;
        assertThat(NotificationCodec.isNotification(bytes)).isTrue();
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> NotificationCodec.decode(bytes))
                .withMessageContaining("Upgrade the reader");
    }

    @Test
    void otherBytesAreNoNotification() {
        assertThat(NotificationCodec.isNotification(null)).isFalse();
        assertThat(NotificationCodec.isNotification(new byte[0])).isFalse();
        assertThat(NotificationCodec.isNotification(new byte[] {'{', '"'})).isFalse();
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> NotificationCodec.decode(null));
    }

    @Test
    void theLargestNotificationHasAtMostTheStatedLength() {
        Notification largest = new Notification(
                new BlobId(Long.MAX_VALUE, -1, Long.MAX_VALUE),
                -1,
                0,
                Long.MAX_VALUE,
                Long.MAX_VALUE - 1,
                1,
                Notification.MAX_RECORDS,
                Codec.ZSTD,
                -1,
                Optional.of(new Binding(-1, Optional.of("k".repeat(Binding.MAX_KEY_LENGTH)))));
        byte[] bytes = NotificationCodec.encode(largest);
        assertThat(bytes).hasSizeLessThanOrEqualTo(125);
        assertThat(NotificationCodec.decode(bytes)).isEqualTo(largest);
    }

    private static TestRecord record() {
        return new TestRecord(0, TestRecord.boxed(new byte[8]), TestRecord.boxed(new byte[10]), List.of());
    }

    private static SegmentSource segment(String zone, List<Frame> frames) {
        return new SegmentSource(new Zone(zone), new Partition("t", 0), "lane", 0, 0, frames);
    }
}
