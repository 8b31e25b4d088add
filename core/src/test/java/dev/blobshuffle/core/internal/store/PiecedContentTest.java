package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.store.BlobContent;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Content that is read piece by piece, and content in buffers. */
class PiecedContentTest {
    @TempDir
    private Path directory;

    private final List<String> released = new ArrayList<>();

    private static byte[] bytes(BlobContent content) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuffer buffer : content.buffers()) {
            byte[] copy = new byte[buffer.remaining()];
            buffer.get(copy);
            all.writeBytes(copy);
        }
        return all.toByteArray();
    }

    @Test
    void regionsAreReadInOrderHoweverTheyAreCut() throws Exception {
        Random random = new Random(1);
        byte[] all = new byte[1_000_000];
        random.nextBytes(all);
        List<Path> files = List.of(Files.write(directory.resolve("a"), all), Files.write(directory.resolve("b"), all));
        List<FileRegion> regions = new ArrayList<>();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int i = 0; i < 300; i++) {
            int offset = random.nextInt(all.length);
            int length = random.nextInt(i % 50 == 0 ? all.length - offset : Math.min(all.length - offset, 500));
            regions.add(new FileRegion(files.get(random.nextInt(2)), offset, length));
            expected.write(all, offset, length);
        }
        PiecedContent content = PiecedContent.ofFiles(regions, () -> {});
        assertThat(content.length()).isEqualTo(expected.size());
        assertThat(bytes(content)).isEqualTo(expected.toByteArray());
        assertThat(content.buffers()).allMatch(piece -> piece.remaining() <= PiecedContent.PIECE);
    }

    @Test
    void contentMayBeLongerThanTwoGibibytes() throws Exception {
        Path sparse = directory.resolve("sparse");
        long end = 3L << 30;
        try (FileChannel channel = FileChannel.open(
                sparse, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            int ignored = channel.write(ByteBuffer.wrap("end".getBytes(StandardCharsets.US_ASCII)), end - 3);
        }
        PiecedContent content = PiecedContent.ofFiles(
                List.of(new FileRegion(sparse, 0, end), new FileRegion(sparse, end - 3, 3)), () -> {});
        assertThat(content.length()).isEqualTo(end + 3);
        List<ByteBuffer> pieces = content.buffers();
        assertThat(pieces.get(pieces.size() - 1)).isEqualTo(ByteBuffer.wrap("end".getBytes(StandardCharsets.US_ASCII)));
        ByteBuffer before = pieces.get(pieces.size() - 2);
        assertThat(before.slice(before.limit() - 3, 3))
                .isEqualTo(ByteBuffer.wrap("end".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aFileThatIsTooShortIsCorruptAndAMissingOneUnavailable() throws Exception {
        Path file = Files.write(directory.resolve("short"), new byte[10]);
        PiecedContent beyond = PiecedContent.ofFiles(List.of(new FileRegion(file, 5, 6)), () -> {});
        assertThatThrownBy(() -> bytes(beyond))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("ends at byte 10")
                .hasMessageContaining("[5, 11)");
        PiecedContent gone = PiecedContent.ofFiles(List.of(new FileRegion(directory.resolve("gone"), 0, 1)), () -> {});
        assertThatThrownBy(() -> bytes(gone))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("gone");
    }

    /** A file that is deleted while it is stored frees its disk with the last reference. */
    @Test
    void filesAreOpenUntilTheLastReference() throws Exception {
        Path file = Files.write(directory.resolve("deleted"), new byte[] {1, 2, 3});
        FileRegions regions = new FileRegions(List.of(new FileRegion(file, 0, 3)));
        ByteBuffer first = ByteBuffer.allocate(1);
        regions.read(0, first);
        Files.delete(file);
        ByteBuffer rest = ByteBuffer.allocate(2);
        regions.read(1, rest);
        assertThat(rest.array()).containsExactly(2, 3);

        regions.close();
        assertThatThrownBy(() -> regions.read(0, ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void manyFilesAreReadWithFewOpen() throws Exception {
        List<FileRegion> regions = new ArrayList<>();
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 200; i++) {
                Path file = directory.resolve("many-" + i);
                Files.write(file, new byte[] {(byte) i, (byte) -i});
                regions.add(new FileRegion(file, round, 1));
                expected.write(round == 0 ? i : -i);
            }
        }
        assertThat(bytes(PiecedContent.ofFiles(regions, () -> {}))).isEqualTo(expected.toByteArray());
    }

    @Test
    void theLastReferenceReleases() {
        assertReleases(PiecedContent.of(1, (offset, target) -> {}, () -> released.add("pieces")));
        assertReleases(BlobContent.of(List.of(ByteBuffer.allocate(1)), () -> released.add("buffers")));
        assertThat(released).containsExactly("pieces", "buffers");
    }

    private void assertReleases(BlobContent content) {
        int before = released.size();
        content.retain();
        content.release();
        assertThat(released).hasSize(before);
        content.release();
        assertThat(released).hasSize(before + 1);
        assertThatThrownBy(content::retain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already recycled");
    }

    @Test
    void eachReaderHasItsOwnViewsOfBuffers() {
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}).position(1);
        BlobContent content = BlobContent.of(List.of(buffer, ByteBuffer.wrap(new byte[] {5})), () -> {});
        assertThat(content.length()).isEqualTo(4);
        assertThat(bytes(content)).containsExactly(2, 3, 4, 5);
        assertThat(bytes(content)).containsExactly(2, 3, 4, 5);
    }
}
