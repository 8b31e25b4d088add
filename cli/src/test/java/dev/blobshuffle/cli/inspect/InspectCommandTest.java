package dev.blobshuffle.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Footer;
import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.internal.format.Partition;
import dev.blobshuffle.core.internal.format.record.Headers;
import dev.blobshuffle.core.internal.metrics.ShuffleMetrics;
import dev.blobshuffle.core.internal.shuffle.Channel;
import dev.blobshuffle.core.internal.shuffle.Lane;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.internal.write.Batcher;
import dev.blobshuffle.core.internal.write.options.BatcherOptions;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.core.zone.Zone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Inspects core's golden blobs: intact, truncated and damaged. */
class InspectCommandTest {
    private static final Path GOLDEN = Path.of("..", "core", "src", "test", "resources", "golden", "v1");

    private static final Path ARROW = GOLDEN.resolveSibling("v2").resolve("ARROW.blob");

    private static final Path OPAQUE = GOLDEN.resolveSibling("v2").resolve("OPAQUE.blob");

    private static final Path ENCRYPTED = GOLDEN.resolveSibling("v2").resolve("NONE-encrypted.blob");

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int inspect(Object... arguments) {
        String[] texts = new String[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            texts[i] = arguments[i].toString();
        }
        return new CommandLine(new InspectCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(texts);
    }

    private static Footer footer(Path file) throws IOException {
        return InspectedBlob.of(ByteBuffer.wrap(Files.readAllBytes(file))).footer();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LZ4", "ZSTD"})
    void soundBlobIsPrintedWithItsSegments(String codec) throws IOException {
        Path file = GOLDEN.resolve(codec + ".blob");

        assertThat(inspect(file)).isZero();

        Footer footer = footer(file);
        assertThat(out.toString())
                .contains(
                        "blob      " + footer.id(),
                        "Sound: " + footer.segments().size() + " segments");
        for (Footer.Segment segment : footer.segments()) {
            assertThat(out.toString())
                    .contains(
                            segment.partition().stream() + "-"
                                    + segment.partition().number(),
                            segment.records() + " records");
        }
    }

    /** A blob has the names that its writer chose, and terminals obey escape sequences. */
    @Test
    void controlCharactersOfNamesDoNotReachTheTerminal() throws IOException {
        Path store = directory.resolve("store");
        try (SystemTime time = new SystemTime();
                BlobStore blobs = BlobStores.open(store.toUri() + "?fsync=none", time);
                Batcher batcher = new Batcher(blobs, BatcherOptions.builder().build(), time, new ShuffleMetrics());
                Lane lane = batcher.lane("lane", new DroppingChannel())) {
            lane.output(new Partition("red\u001b[31m", 0), Zone.SINGLE).append(0, null, new byte[1], Headers.NONE);
            lane.flush(Duration.ofMinutes(1));
        }
        try (Stream<Path> files = Files.walk(store)) {
            Path blob = files.filter(path -> path.toString().endsWith(".blob"))
                    .findFirst()
                    .orElseThrow();

            assertThat(inspect(blob)).isZero();
        }
        assertThat(out.toString()).contains("red\\u001b[31m-0").doesNotContain("\u001b");
    }

    private static final class DroppingChannel implements Channel {
        @Override
        public void send(
                Partition partition, Notification notification, long earliest, long latest, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void send(Partition partition, SegmentRecords records, Delivery delivery) {
            delivery.delivered();
        }

        @Override
        public void flush() {}
    }

    @Test
    void recordsShowSizesAndNoDataUnlessAskedFor() {
        Path file = GOLDEN.resolve("NONE.blob");

        assertThat(inspect(file, "--records", 2)).isZero();
        String sizes = out.toString();
        assertThat(sizes)
                .contains("segment 0 record 0", "segment 0 record 1", "bytes")
                .doesNotContain("\"");

        out.getBuffer().setLength(0);
        assertThat(inspect(file, "--records", 1000, "--show-data")).isZero();
        assertThat(out.toString()).contains("\"");
    }

    @Test
    void jsonSaysTheSame() throws IOException {
        Path file = GOLDEN.resolve("NONE.blob");

        assertThat(inspect(file, "--json", "--records", 1)).isZero();

        assertThat(out.toString())
                .contains(
                        "\"sound\": true",
                        "\"blob\": \"" + footer(file).id() + "\"",
                        "\"key_bytes\": ",
                        "\"segments\": [")
                .doesNotContain("\"value\":");
    }

    @Test
    void aFlippedBitInABodyIsFoundAndItsSegmentNamed() throws IOException {
        byte[] blob = Files.readAllBytes(GOLDEN.resolve("NONE.blob"));
        Footer.Segment last = footer(GOLDEN.resolve("NONE.blob"))
                .segments()
                .get(footer(GOLDEN.resolve("NONE.blob")).segments().size() - 1);
        blob[(int) last.offset() + 33] ^= 1;
        Path damaged = Files.write(directory.resolve("damaged.blob"), blob);

        assertThat(inspect(damaged)).isEqualTo(1);

        assertThat(out.toString())
                .contains("DAMAGED", "[" + last.offset() + ",")
                .doesNotContain("Sound");
    }

    @Test
    void aCutBlobIsDamaged() throws IOException {
        byte[] blob = Files.readAllBytes(GOLDEN.resolve("LZ4.blob"));
        Path cut = Files.write(directory.resolve("cut.blob"), Arrays.copyOf(blob, blob.length - 1));

        assertThat(inspect(cut, "--json")).isEqualTo(1);

        assertThat(out.toString()).contains("\"sound\": false", "\"failure\": ");
    }

    @Test
    void anEncryptedBlobShowsItsFooterAndTheNameOfItsKey() {
        assertThat(inspect(ENCRYPTED, "--records", 1)).isEqualTo(1);
        assertThat(out.toString())
                .contains("encrypted with key golden", "ENCRYPTED: ", "'golden'")
                .doesNotContain("Sound", "segment 0 record 0");
    }

    @Test
    void anEncryptedBlobIsVerifiedWithItsKey() throws IOException {
        assertThat(inspect(ENCRYPTED, "--records", 1, "--encryption-keys", keys("golden", (byte) 0)))
                .isZero();
        assertThat(out.toString()).contains("segment 0 record 0", "Sound: ");
    }

    @Test
    void theKeysComeFromTheSettingsOfTheApplication() throws IOException {
        Path config = Files.writeString(
                directory.resolve("app.properties"), "blobshuffle.encryption.keys=" + keys("golden", (byte) 0) + "\n");
        assertThat(inspect(ENCRYPTED, "--config", config)).isZero();
        assertThat(out.toString()).contains("Sound: ");
    }

    @Test
    void anEncryptedBlobIsDamagedUnderAnotherKeyOfThatName() throws IOException {
        assertThat(inspect(ENCRYPTED, "--encryption-keys", keys("golden", (byte) 1)))
                .isEqualTo(1);
        assertThat(out.toString()).contains("DAMAGED").doesNotContain("Sound");
    }

    @Test
    void aBlobOfRecordsSaysSo() {
        assertThat(inspect(GOLDEN.resolve("NONE.blob"))).isZero();
        assertThat(out.toString()).contains("kind      records\n");
    }

    @Test
    void anArrowBlobShowsKindPreludeRowsIdsAndPostlude() {
        assertThat(inspect(ARROW, "--records", 1)).isZero();
        assertThat(out.toString())
                .contains(
                        "kind      Arrow IPC\n",
                        "rows      172\n",
                        "prelude   [0, 464)  checksum ",
                        "section 1 zone east-2",
                        "segment 2 partition 1  shuffle query-7 map 12 attempt 1  [2096, 3408)  107 rows  raw 4280 bytes"
                                + "  2 frames  checksum ",
                        "postlude  [3408, 3416)  checksum ",
                        "Records are not printed: the blob holds Arrow IPC.",
                        "Sound: 3 segments");
    }

    @Test
    void anOpaqueBlobShowsTheOriginOfEachSegment() {
        assertThat(inspect(OPAQUE)).isZero();
        assertThat(out.toString())
                .contains(
                        "kind      opaque bytes\n",
                        "rows      not stated\n",
                        "partition 0  shuffle application-1/0 map 0 attempt 5  [7, 17)  checksum",
                        "partition 0  shuffle application-1/0 map 1 attempt 1099511627776  [24, 35)  checksum");
    }

    @Test
    void jsonOfOtherContentSaysTheSame() {
        assertThat(inspect(ARROW, "--json")).isZero();
        assertThat(out.toString())
                .contains(
                        "\"kind\": \"arrow\"",
                        "\"rows\": 172",
                        "\"prelude\": {",
                        "\"postlude\": {",
                        "\"shuffle\": \"query-7\"",
                        "\"attempt\": 1");
    }

    @Test
    void aFlippedBitInOtherContentIsFound() throws IOException {
        byte[] blob = Files.readAllBytes(OPAQUE);
        blob[30] ^= 1;
        Path damaged = Files.write(directory.resolve("damaged.blob"), blob);
        assertThat(inspect(damaged)).isEqualTo(1);
        assertThat(out.toString()).contains("DAMAGED", "[24, +11)").doesNotContain("Sound");
    }

    private URI keys(String id, byte content) throws IOException {
        byte[] key = new byte[32];
        Arrays.fill(key, content);
        Path file = Files.writeString(
                directory.resolve("keys"), id + " " + Base64.getEncoder().encodeToString(key) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file.toUri();
    }

    @Test
    void anEmptyFileIsDamaged() throws IOException {
        assertThat(inspect(Files.createFile(directory.resolve("empty.blob")))).isEqualTo(1);
        assertThat(out.toString()).contains("DAMAGED");
    }

    @Test
    void aMissingFileIsAnErrorWithARemedy() {
        assertThat(inspect(directory.resolve("none.blob"))).isEqualTo(1);
        assertThat(err.toString()).contains("Cannot read blob", "none.blob", "Give the path");
    }
}
