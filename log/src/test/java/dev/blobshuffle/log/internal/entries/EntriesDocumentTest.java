package dev.blobshuffle.log.internal.entries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.format.Notification;
import dev.blobshuffle.core.store.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The code writes and reads the example of {@code docs/format.md} and the stored entries.
 * {@code -Dgolden.update=true} rewrites the stored entries.
 */
class EntriesDocumentTest {
    @Test
    void theWriterMakesTheDocumentsBytes() throws IOException {
        List<EncodedEntries> batches = TestEntries.documentedBatch();
        assertThat(batches).hasSize(1);
        assertThat(batches.get(0).entries()).isEqualTo(documented());
        assertThat(batches.get(0).blobs()).containsExactly(TestEntries.BLOB);
        assertThat(batches.get(0).latest()).isEqualTo(TestEntries.TIMESTAMP + 7);
        assertThat(batches.get(0).bytes()).isEqualTo(56 + 11 + 3);
    }

    @Test
    void theReaderReadsTheDocumentsBytes() throws IOException {
        Entries entries = EntriesCodec.decode(documented(), partition -> true);
        assertThat(entries.records()).isEqualTo(4);
        assertThat(entries.runs().get(0))
                .isEqualTo(new Entries.SegmentRun(
                        3, 0, TestEntries.documented(), TestEntries.TIMESTAMP - 5, TestEntries.TIMESTAMP));
        assertThat(entries.runs().get(1).firstIndex()).isEqualTo(2);
        assertThat(TestEntries.described(entries.runs().get(1)))
                .containsExactly(
                        TestEntries.record(
                                5, TestEntries.TIMESTAMP, TestEntries.bytes("key"), TestEntries.bytes("value")),
                        TestEntries.record(5, TestEntries.TIMESTAMP + 7, null, new byte[0]));
    }

    @Test
    void blobsWithOwnersAreInBatchesOfTheirOwn() {
        Notification plain = TestEntries.documented();
        Notification owned = owned(plain, new BlobId(0xC0DE, 29_453_760, 0x98_7654_3210L, 300));
        EntriesEncoder encoder = new EntriesEncoder(65_536);
        encoder.segment(3, plain, 1, 2);
        encoder.segment(3, owned, 3, 4);
        encoder.segment(4, owned, 5, 6);
        List<EncodedEntries> batches = encoder.finish();
        assertThat(batches).extracting(batch -> batch.entries()[1]).containsExactly((byte) 1, (byte) 2);
        assertThat(batches.get(1).blobs()).containsExactly(owned.blob());
        assertThat(EntriesCodec.decode(batches.get(0).entries(), partition -> true)
                        .runs())
                .containsExactly(new Entries.SegmentRun(3, 0, plain, 1, 2));
        assertThat(EntriesCodec.decode(batches.get(1).entries(), partition -> true)
                        .runs())
                .extracting(run -> ((Entries.SegmentRun) run).notification())
                .containsExactly(owned, owned);
    }

    private static Notification owned(Notification plain, BlobId id) {
        return new Notification(
                id,
                plain.store(),
                plain.sectionOffset(),
                plain.sectionLength(),
                plain.segmentOffset(),
                plain.segmentLength(),
                plain.records(),
                plain.codec(),
                plain.checksum(),
                plain.binding());
    }

    @Test
    void theStoredEntriesStayReadable() throws IOException {
        byte[] stored = golden();
        assertThat(TestEntries.everything()).isEqualTo(stored);
        Entries entries = EntriesCodec.decode(stored, partition -> true);
        assertThat(entries.runs())
                .extracting(run -> run.partition() + "@" + run.firstIndex() + "+" + run.records())
                .containsExactly(
                        "0@0+1", "0@1+1048575", "0@1048576+2", "7@1048578+1", "7@1048579+3", "2147483647@1048582+1");
        Entries.SegmentRun widest = (Entries.SegmentRun) entries.runs().get(1);
        assertThat(widest.earliest()).isEqualTo(Long.MIN_VALUE);
        assertThat(widest.latest()).isEqualTo(Long.MAX_VALUE);
        Entries.SegmentRun encrypted = (Entries.SegmentRun) entries.runs().get(3);
        assertThat(encrypted.notification().key()).contains("key-1");
        assertThat(encrypted.notification().blob()).isEqualTo(new BlobId(29_453_761, 0xfedc_ba98_7654_3210L, 41));
    }

    /** The bytes of the document: hexadecimal digits with comments. */
    private static byte[] documented() throws IOException {
        Matcher block = Pattern.compile("```hex entries\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/format.md")));
        assertThat(block.find()).as("example 'entries' in docs/format.md").isTrue();
        return HexFormat.of().parseHex(block.group(1).replaceAll("(?m);.*$", "").replaceAll("\\s", ""));
    }

    private static byte[] golden() throws IOException {
        if (Boolean.getBoolean("golden.update")) {
            Path file = Path.of("src/test/resources/golden/entries-v1/all.entries");
            Files.createDirectories(file.getParent());
            return Files.readAllBytes(Files.write(file, TestEntries.everything()));
        }
        try (InputStream stream = EntriesDocumentTest.class.getResourceAsStream("/golden/entries-v1/all.entries")) {
            assertThat(stream).as("all.entries").isNotNull();
            return stream.readAllBytes();
        }
    }
}
