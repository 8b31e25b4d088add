package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.DocumentExample;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code writes and reads the examples of {@code docs/format.md}. */
class FormatDocumentTest {
    private static final long TIMESTAMP = 1_767_225_600_000L;
    private static final BlobId ID = new BlobId(29_453_760, 0x0123_4567_89ab_cdefL, 300);
    private static final List<TestRecord> RECORDS = List.of(
            new TestRecord(TIMESTAMP, bytes("key"), bytes("value"), List.of()),
            new TestRecord(TIMESTAMP - 5, null, bytes(""), List.of(new TestRecord.Header("h", null))));

    @Test
    void theWriterMakesTheDocumentsBytes() {
        BlobLayout layout = layout();
        assertThat(TestSegments.bytes(layout)).isEqualTo(DocumentExample.bytes("blob"));
        assertThat(NotificationCodec.encode(layout.notifications().get(0)))
                .isEqualTo(DocumentExample.bytes("notification"));
        assertThat(BlobKey.of(ID)).isEqualTo("blobs/28/0029453760/0123456789abcdef-300.blob");
        assertThat(DocumentExample.document()).contains("`" + BlobKey.of(ID) + "`");
    }

    @Test
    void theReaderReadsTheDocumentsBytes() {
        byte[] blob = DocumentExample.bytes("blob");
        Notification notification = NotificationCodec.decode(DocumentExample.bytes("notification"));
        assertThat(notification.blob()).isEqualTo(ID);
        assertThat(TestSegments.readAll(notification, TestSegments.segmentBytes(blob, notification)))
                .isEqualTo(RECORDS);
        Footer footer = BlobVerifier.verify(ByteBuffer.wrap(blob));
        assertThat(footer.notification(footer.segments().get(0))).isEqualTo(notification);
        assertThat(footer.createdMillis()).isEqualTo(TIMESTAMP + 500);
        assertThat(footer.segments().get(0).lane()).isEqualTo("w");
        assertThat(footer.sections().get(0).zone()).isEqualTo(new Zone("a"));
    }

    @Test
    void aSmallRecordHasFourBytesOfOverhead() {
        byte[] target = new byte[2000];
        assertThat(RecordLayout.encode(target, 0, 63, new byte[8], new byte[1024], Headers.NONE))
                .isEqualTo(8 + 1024 + 4);
        assertThat(RecordLayout.encode(target, 0, -8192, new byte[8], new byte[1024], Headers.NONE))
                .isEqualTo(8 + 1024 + 5);
    }

    private static BlobLayout layout() {
        byte[] chunk = new byte[64];
        TestRecord second = RECORDS.get(1);
        int at = RecordLayout.encode(
                chunk, 0, 0, RECORDS.get(0).keyBytes(), RECORDS.get(0).valueBytes(), Headers.NONE);
        at = RecordLayout.encode(chunk, at, -5, second.keyBytes(), second.valueBytes(), second.headersView());
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE)) {
            Frame frame = encoder.encode(chunk, 0, at, 2, TIMESTAMP);
            SegmentSource segment = new SegmentSource(
                    new Zone("a"), new Partition("t", 3), "w", TIMESTAMP - 5, TIMESTAMP, List.of(frame));
            return BlobLayout.of(ID, 0x1122_3344, TIMESTAMP + 500, List.of(segment));
        }
    }

    private static List<Byte> bytes(String text) {
        return TestRecord.boxed(text.getBytes(StandardCharsets.UTF_8));
    }
}
