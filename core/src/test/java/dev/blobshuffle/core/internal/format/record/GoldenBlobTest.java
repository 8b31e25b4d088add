package dev.blobshuffle.core.internal.format.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.encryption.KeyProvider;
import dev.blobshuffle.core.internal.encryption.Keyring;
import dev.blobshuffle.core.internal.format.Codec;
import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.NotificationCodec;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobSection;
import dev.blobshuffle.core.zone.Zone;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The stored blobs of each version stay readable, and the current writer writes the same bytes. The
 * files of a version never change; a new version adds a directory. {@code ./mvnw -pl core test
 * -Dtest=GoldenBlobTest -Dgolden.update=true} writes those of a new version.
 */
class GoldenBlobTest {
    private static final Path SOURCES = Path.of("src/test/resources");
    private static final BlobId ID = new BlobId(29_453_760, 0xfedc_ba98_7654_3210L, 41);
    private static final BlobId OWNED = new BlobId(0x00c0de, 29_453_760, 0x98_7654_3210L, 41);
    private static final int STORE = 0x0bad_cafe;
    private static final long TIMESTAMP = 1_767_225_600_000L;

    private static final KeyProvider KEYS =
            id -> id.equals("golden") ? Optional.of(new byte[Keyring.KEY_LENGTH]) : Optional.empty();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v1/NONE",
                "v1/LZ4",
                "v1/ZSTD",
                "v2/NONE",
                "v2/LZ4",
                "v2/ZSTD",
                "v2/NONE-encrypted",
                "v2/ZSTD-encrypted",
                "v3/NONE",
                "v3/ZSTD-encrypted"
            })
    void everyVersionStaysReadable(String name) throws IOException {
        byte[] blob = golden(name + ".blob");
        byte[] notifications = golden(name + ".notifications");
        Keyring keys = Keyring.reading(KEYS);
        Footer footer = BlobVerifier.verify(ByteBuffer.wrap(blob), keys);
        assertThat(footer.key().isPresent()).isEqualTo(name.endsWith("encrypted"));
        assertThat(footer.id()).isEqualTo(id(name));
        assertThat(footer.version()).isEqualTo(name.charAt(1) - '0');
        assertThat(footer.sections())
                .extracting(BlobSection::zone)
                .containsExactly(new Zone("east-1"), new Zone("east-2"));
        List<List<TestRecord>> expected = records();
        int at = 0;
        for (int i = 0; i < expected.size(); i++) {
            Footer.Segment segment = footer.segments().get(i);
            byte[] encoded = new byte[notifications[at++]];
            System.arraycopy(notifications, at, encoded, 0, encoded.length);
            at += encoded.length;
            Notification notification = NotificationCodec.decode(encoded);
            assertThat(notification).isEqualTo(footer.notification(segment));
            SegmentReader reader =
                    new SegmentReader(notification, segment.partition(), keys, SegmentReader.Memory.UNLIMITED);
            assertThat(TestSegments.readAll(reader, TestSegments.segmentBytes(blob, notification)))
                    .isEqualTo(expected.get(i));
        }
        assertThat(at).isEqualTo(notifications.length);
    }

    /**
     * Compressed bytes depend on the versions of the libraries, so only uncompressed ones are
     * compared.
     */
    @ParameterizedTest
    @ValueSource(strings = {"v2/NONE", "v2/NONE-encrypted", "v3/NONE"})
    void todaysWriterMakesTheSameBytes(String name) throws IOException {
        BlobLayout layout = layout(name);
        assertThat(TestSegments.bytes(layout)).isEqualTo(golden(name + ".blob"));
        assertThat(notifications(layout)).isEqualTo(golden(name + ".notifications"));
    }

    private static BlobId id(String name) {
        return name.startsWith("v3/") ? OWNED : ID;
    }

    private static byte[] golden(String name) throws IOException {
        String resource = "golden/" + name;
        if (Boolean.getBoolean("golden.update") && name.startsWith("v3/")) {
            Path file = SOURCES.resolve(resource);
            Files.createDirectories(file.getParent());
            BlobLayout layout = layout(name.substring(0, name.indexOf('.')));
            return Files.readAllBytes(
                    Files.write(file, name.endsWith(".blob") ? TestSegments.bytes(layout) : notifications(layout)));
        }
        try (InputStream stream = GoldenBlobTest.class.getResourceAsStream("/" + resource)) {
            assertThat(stream).as(resource).isNotNull();
            return stream.readAllBytes();
        }
    }

    private static BlobLayout layout(String name) {
        Keyring keys = name.endsWith("encrypted") ? Keyring.writing(KEYS, "golden") : Keyring.none();
        Codec codec = Codec.valueOf(name.substring(3).replace("-encrypted", ""));
        try (FrameEncoder encoder = new FrameEncoder(codec, keys)) {
            encoder.begin(id(name));
            return layout(id(name), encoder);
        }
    }

    private static BlobLayout layout(BlobId id, FrameEncoder encoder) {
        List<SegmentSource> sources = new ArrayList<>();
        int number = 0;
        for (List<TestRecord> records : records()) {
            Zone zone = new Zone(number < 2 ? "east-1" : "east-2");
            Partition partition = new Partition("application-store-repartition", number / 2);
            sources.add(TestSegments.segment(zone, partition, "lane-" + number % 2, records, encoder, 700));
            number++;
        }
        return BlobLayout.of(id, STORE, TIMESTAMP + 1, sources);
    }

    private static byte[] notifications(BlobLayout layout) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Notification notification : layout.notifications()) {
            byte[] encoded = NotificationCodec.encode(notification);
            bytes.write(encoded.length);
            bytes.writeBytes(encoded);
        }
        return bytes.toByteArray();
    }

    /**
     * One list per segment. The records are fixed, not random, because a generator may change and
     * these must not.
     */
    private static List<List<TestRecord>> records() {
        List<TestRecord> plain = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            plain.add(record(TIMESTAMP + i * 7L, "key-" + i % 5, "value ".repeat(i) + i));
        }
        List<TestRecord> nothing = List.of(
                record(TIMESTAMP, null, null),
                record(TIMESTAMP, "", ""),
                record(TIMESTAMP - 1, null, ""),
                record(TIMESTAMP - 1, "", null));
        List<TestRecord> extreme = List.of(
                record(Long.MIN_VALUE, "a", "1"),
                record(Long.MAX_VALUE, "a", "2"),
                record(0, "a", "3"),
                record(-1, "a", "x".repeat(3000)),
                record(Long.MIN_VALUE, "a", "4"));
        List<TestRecord.Header> headers = List.of(
                new TestRecord.Header("trace", bytes("0123")),
                new TestRecord.Header("trace", null),
                new TestRecord.Header("", bytes("")),
                new TestRecord.Header("größe \u4f60\u597d \ud83d\ude00", bytes("\u0000\u00ff")));
        List<TestRecord> withHeaders = List.of(
                new TestRecord(TIMESTAMP, bytes("k"), bytes("v"), headers),
                record(TIMESTAMP, "k", "v"),
                new TestRecord(TIMESTAMP + 1, null, null, headers.subList(0, 1)));
        return List.of(plain, nothing, extreme, withHeaders);
    }

    private static TestRecord record(long timestamp, String key, String value) {
        return new TestRecord(timestamp, bytes(key), bytes(value), List.of());
    }

    private static List<Byte> bytes(String text) {
        return text == null ? null : TestRecord.boxed(text.getBytes(StandardCharsets.UTF_8));
    }
}
