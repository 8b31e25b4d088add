package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Binding;
import dev.blobshuffle.core.internal.format.Checksum;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.LittleEndian;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Encrypted segments return the written records and nothing else, and hide their content. */
class EncryptionTest {
    private static final BlobId ID = new BlobId(29_453_760, 0x1234, 5);
    private static final Partition P0 = new Partition("orders", 0);
    private static final Partition P1 = new Partition("orders", 1);

    @ParameterizedTest
    @EnumSource(Codec.class)
    void recordsComeBackAndDoNotShow(Codec codec) {
        Sealed sealed = Sealed.of(ID, keys("k1"), codec);
        for (int i = 0; i < 2; i++) {
            assertThat(sealed.read(i, keys("k1"))).isEqualTo(records(i));
        }
        assertThat(new String(sealed.blob, StandardCharsets.ISO_8859_1))
                .doesNotContain("secret")
                .contains("orders");
        assertThat(sealed.notification(0).key()).contains("k1");
    }

    @Test
    void theSameBlobHasTheSameBytesAndAnotherNone() {
        byte[] once = Sealed.of(ID, keys("k1"), Codec.NONE).blob;
        assertThat(Sealed.of(ID, keys("k1"), Codec.NONE).blob).isEqualTo(once);
        BlobId next = new BlobId(ID.generation(), ID.writer(), ID.sequence() + 1);
        byte[] other = Sealed.of(next, keys("k1"), Codec.NONE).blob;
        int body = Frame.HEADER_LENGTH;
        assertThat(Arrays.copyOfRange(other, body, body + 16)).isNotEqualTo(Arrays.copyOfRange(once, body, body + 16));
    }

    @Test
    void twoFramesOfTheSameRecordsDiffer() {
        List<TestRecord> same = List.of(record(0, "a"), record(0, "a"));
        try (FrameEncoder encoder = new FrameEncoder(Codec.NONE, keys("k1"))) {
            encoder.begin(ID);
            SegmentSource source = TestSegments.segment(Zone.SINGLE, P0, "lane", same, encoder, 1);
            Frame first = source.frames().get(0);
            Frame second = source.frames().get(1);
            assertThat(Arrays.copyOfRange(first.array(), first.offset(), first.offset() + first.length()))
                    .isNotEqualTo(
                            Arrays.copyOfRange(second.array(), second.offset(), second.offset() + second.length()));
        }
    }

    @Test
    void withoutTheKeyTheReaderSaysWhichOneIsMissing() {
        Sealed sealed = Sealed.of(ID, keys("k1"), Codec.NONE);
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> sealed.read(0, Keyring.none()))
                .withMessageContaining("'k1'")
                .withMessageContaining("blobshuffle.encryption.keys");
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> sealed.read(0, Keyring.reading(id -> Optional.empty())))
                .withMessageContaining("does not have it");
    }

    @Test
    void anotherKeyOfTheSameIdDecryptsNothing() {
        Sealed sealed = Sealed.of(ID, keys("k1"), Codec.NONE);
        Keyring wrong = Keyring.reading(id -> Optional.of(filled(99)));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> sealed.read(0, wrong))
                .withMessageContaining("key 'k1'");
    }

    @Test
    void afterARotationOldAndNewBlobsAreRead() {
        Sealed old = Sealed.of(ID, keys("k1"), Codec.ZSTD);
        Sealed rotated = Sealed.of(ID, keys("k2"), Codec.ZSTD);
        assertThat(rotated.notification(0).key()).contains("k2");
        assertThat(old.read(0, keys("k2"))).isEqualTo(records(0));
        assertThat(rotated.read(0, keys("k1"))).isEqualTo(records(0));
    }

    /** An attacker who changes stored bytes can also correct the checksums. */
    @ParameterizedTest
    @EnumSource(
            value = Codec.class,
            names = {"NONE", "ZSTD"})
    void everyFlippedBitIsFoundThoughAllChecksumsAreRight(Codec codec) {
        Sealed sealed = Sealed.of(ID, keys("k1"), codec);
        byte[] segment = sealed.segment(0);
        for (int bit = 0; bit < segment.length * 8; bit++) {
            byte[] flipped = segment.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Notification repaired = repair(flipped, sealed.notification(0));
            if (Arrays.equals(flipped, segment)) {
                continue; // The flipped bit was in a checksum.
            }
            assertThatExceptionOfType(BlobCorruptException.class)
                    .as("bit %d", bit)
                    .isThrownBy(() -> read(repaired, flipped, P0, keys("k1")));
        }
    }

    @Test
    void mutatedSegmentsAreTheWrittenRecordsOrCorrupt() {
        Sealed sealed = Sealed.of(ID, keys("k1"), Codec.LZ4);
        byte[] valid = sealed.segment(0);
        int corrupt = 0;
        for (int seed = 0; seed < 5_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] mutated = valid.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                int from = random.nextInt(valid.length);
                int to = random.nextInt(valid.length);
                int length = random.nextInt(Math.min(40, valid.length - Math.max(from, to)) + 1);
                System.arraycopy(valid, from, mutated, to, length);
            }
            Notification repaired = repair(mutated, sealed.notification(0));
            try {
                List<TestRecord> read = read(repaired, mutated, P0, keys("k1"));
                assertThat(read).as("seed %d", seed).isEqualTo(records(0));
            } catch (BlobCorruptException e) {
                corrupt++;
            }
        }
        assertThat(corrupt).isPositive();
    }

    @Test
    void aSegmentOfAnotherPartitionIsRefusedThoughTheNotificationClaimsIt() {
        Sealed sealed = Sealed.of(ID, keys("k1"), Codec.NONE);
        byte[] segment = sealed.segment(0);
        Notification claimed = bind(sealed.notification(0), new Binding(Binding.tag(P1), Optional.of("k1")));
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> read(claimed, segment, P1, keys("k1")));
        Notification repaired = repair(segment, claimed); // The stored headers are corrected too.
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> read(repaired, segment, P1, keys("k1")))
                .withMessageContaining("cannot be decrypted");
    }

    @Test
    void withoutEncryptionTheStoredHeadersNameThePartition() {
        Sealed plain = Sealed.of(ID, Keyring.none(), Codec.NONE);
        Notification claimed = bind(plain.notification(0), new Binding(Binding.tag(P1), Optional.empty()));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> read(claimed, plain.segment(0), P1, Keyring.none()))
                .withMessageContaining("another partition");
    }

    @Test
    void aFrameThatWasMovedOrStrippedIsRefused() {
        Sealed sealed = Sealed.of(ID, keys("k1"), Codec.NONE);
        byte[] segment = sealed.segment(0);
        int frame = Frame.HEADER_LENGTH + Frame.align(LittleEndian.readInt(segment, 12));
        assertThat(LittleEndian.readInt(segment, frame + 12)).isEqualTo(LittleEndian.readInt(segment, 12));
        byte[] swapped = segment.clone();
        System.arraycopy(segment, 0, swapped, frame, frame);
        System.arraycopy(segment, frame, swapped, 0, frame);
        Notification repaired = repair(swapped, sealed.notification(0));
        assertThatExceptionOfType(BlobCorruptException.class).isThrownBy(() -> read(repaired, swapped, P0, keys("k1")));

        Sealed plain = Sealed.of(ID, Keyring.none(), Codec.NONE);
        Notification stripped = bind(plain.notification(0), new Binding(Binding.tag(P0), Optional.of("k1")));
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> read(stripped, plain.segment(0), P0, keys("k1")))
                .withMessageContaining("not encrypted");
    }

    @Test
    void whatLeavesMemoryAsPlainRecordsIsDecrypted() {
        try (FrameEncoder encoder = new FrameEncoder(Codec.ZSTD, keys("k1"))) {
            encoder.begin(ID);
            SegmentSource source = TestSegments.segment(Zone.SINGLE, P0, "lane", records(0), encoder, 400);
            RecordCursor cursor = new RecordCursor();
            List<TestRecord> seen = new ArrayList<>();
            for (Frame frame : source.frames()) {
                cursor.reset(frame);
                while (cursor.next()) {
                    seen.add(TestRecord.of(cursor.timestamp(), cursor.key(), cursor.value(), cursor.headers()));
                }
            }
            assertThat(seen).isEqualTo(records(0));
        }
    }

    /** Corrects all checksums, as an attacker with write access to the store can. */
    private static Notification repair(byte[] segment, Notification original) {
        CRC32C headers = new CRC32C();
        int tag = original.binding().orElseThrow().tag();
        int at = 0;
        while (segment.length - at >= Frame.HEADER_LENGTH) {
            int length = LittleEndian.readInt(segment, at + 12);
            if (length > 0 && length <= segment.length - at - Frame.HEADER_LENGTH) {
                LittleEndian.writeInt(segment, at + 24, Checksum.of(segment, at + Frame.HEADER_LENGTH, length));
            }
            LittleEndian.writeInt(segment, at + 28, FrameHeader.checksum(segment, at, tag));
            headers.update(segment, at, Frame.HEADER_LENGTH);
            if (length <= 0 || length > segment.length) {
                break;
            }
            at += Frame.HEADER_LENGTH + Frame.align(length);
        }
        return new Notification(
                original.blob(),
                original.store(),
                original.sectionOffset(),
                original.sectionLength(),
                original.segmentOffset(),
                original.segmentLength(),
                original.records(),
                original.codec(),
                (int) headers.getValue(),
                original.binding());
    }

    private static Notification bind(Notification of, Binding binding) {
        return new Notification(
                of.blob(),
                of.store(),
                of.sectionOffset(),
                of.sectionLength(),
                of.segmentOffset(),
                of.segmentLength(),
                of.records(),
                of.codec(),
                of.checksum(),
                Optional.of(binding));
    }

    private static List<TestRecord> read(Notification notification, byte[] segment, Partition partition, Keyring keys) {
        SegmentReader reader = new SegmentReader(notification, partition, keys, SegmentReader.Memory.UNLIMITED);
        return TestSegments.readAll(reader, ByteBuffer.wrap(segment));
    }

    private static Keyring keys(String writing) {
        KeyProvider provider =
                id -> Optional.ofNullable(Map.of("k1", 1, "k2", 2).get(id)).map(EncryptionTest::filled);
        return Keyring.writing(provider, writing);
    }

    private static byte[] filled(int value) {
        byte[] key = new byte[Keyring.KEY_LENGTH];
        Arrays.fill(key, (byte) value);
        return key;
    }

    /** Records that differ only in the segment's number, in frames of the same length. */
    private static List<TestRecord> records(int segment) {
        List<TestRecord> records = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            records.add(record(0, "secret secret secret secret " + segment + "-" + (char) ('a' + i)));
        }
        return records;
    }

    private static TestRecord record(long timestamp, String value) {
        return new TestRecord(timestamp, null, TestRecord.boxed(value.getBytes(StandardCharsets.UTF_8)), List.of());
    }

    /** A blob of two segments, for {@link #P0} and {@link #P1}. */
    private record Sealed(BlobLayout layout, byte[] blob) {
        static Sealed of(BlobId id, Keyring keys, Codec codec) {
            try (FrameEncoder encoder = new FrameEncoder(codec, keys)) {
                encoder.begin(id);
                List<SegmentSource> sources = List.of(
                        TestSegments.segment(Zone.SINGLE, P0, "lane", records(0), encoder, 200),
                        TestSegments.segment(Zone.SINGLE, P1, "lane", records(1), encoder, 200));
                BlobLayout layout = BlobLayout.of(id, 7, 0, sources);
                return new Sealed(layout, TestSegments.bytes(layout));
            }
        }

        Notification notification(int segment) {
            return layout.notifications().get(segment);
        }

        byte[] segment(int segment) {
            Notification of = notification(segment);
            int from = (int) of.segmentOffset();
            return Arrays.copyOfRange(blob, from, from + (int) of.segmentLength());
        }

        List<TestRecord> read(int segment, Keyring keys) {
            return EncryptionTest.read(notification(segment), segment(segment), segment == 0 ? P0 : P1, keys);
        }
    }
}
