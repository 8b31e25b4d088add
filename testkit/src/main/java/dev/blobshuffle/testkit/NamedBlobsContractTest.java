package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.NamedBlobs.Entry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link NamedBlobs}, to be kept by every store that has them: one subclass per store.
 */
public abstract class NamedBlobsContractTest {
    private NamedBlobs blobs;

    /** Made by JUnit. */
    @SuppressWarnings("NullAway.Init") // each test begins with opening them
    protected NamedBlobsContractTest() {}

    /** Opens an empty place, which the test closes. */
    protected abstract NamedBlobs open();

    @BeforeEach
    final void openBlobs() {
        blobs = open();
    }

    @AfterEach
    final void closeBlobs() {
        // None if the store of this test is not installed.
        if (blobs != null) {
            blobs.close();
        }
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] part(byte[] all, int from, int length) {
        return ByteBuffer.allocate(length).put(all, from, length).array();
    }

    private byte[] read(String name, long offset, int length) {
        ByteBuffer target = ByteBuffer.allocateDirect(length + 2).position(1).limit(length + 1);
        blobs.read(name, offset, target);
        assertThat(target.hasRemaining()).isFalse();
        byte[] read = new byte[length];
        target.get(1, read);
        return read;
    }

    @Test
    final void aRangeIsWhatWasStored() {
        byte[] stored = bytes(300_000, 1);
        blobs.put("shuffles/a/one.blob", BlobContent.of(stored));

        assertThat(read("shuffles/a/one.blob", 0, stored.length)).isEqualTo(stored);
        assertThat(read("shuffles/a/one.blob", 299_990, 10)).isEqualTo(part(stored, 299_990, 10));
        assertThat(read("shuffles/a/one.blob", 7, 140_000)).isEqualTo(part(stored, 7, 140_000));
    }

    /** As of a file that is not in memory: each buffer is made when it is asked for. */
    @Test
    final void buffersMayBeMadeWhileTheyAreWalked() {
        byte[] stored = bytes(1 << 20, 2);
        PiecedContent content = PiecedContent.of(
                stored.length,
                (offset, piece) -> {
                    piece.put(stored, (int) offset, piece.remaining());
                },
                () -> {});
        blobs.put("a/lazy", content);

        assertThat(read("a/lazy", 0, stored.length)).isEqualTo(stored);
    }

    @Test
    final void anotherPutReplaces() {
        blobs.put("a/b", BlobContent.of(bytes(100, 3)));
        blobs.put("a/b", BlobContent.of(bytes(50, 4)));

        assertThat(read("a/b", 0, 50)).isEqualTo(bytes(50, 4));
        assertThat(blobs.list("a/")).containsExactly(new Entry("a/b", 50));
    }

    @Test
    final void aBlobThatEndsBeforeOrIsNotThereFails() {
        blobs.put("a/b", BlobContent.of(bytes(100, 5)));

        assertThatThrownBy(() -> read("a/b", 91, 10))
                .isInstanceOf(BlobCorruptException.class)
                .hasMessageContaining("a/b");
        assertThatThrownBy(() -> read("a/b", 200, 10)).isInstanceOf(BlobCorruptException.class);
        assertThatThrownBy(() -> read("a/c", 0, 1))
                .isInstanceOf(BlobMissingException.class)
                .hasMessageContaining("a/c");
        assertThatThrownBy(() -> read("b/b", 0, 1)).isInstanceOf(BlobMissingException.class);
    }

    @Test
    final void aListingHasItsDirectoryOnly() {
        assertThat(blobs.list("a/")).isEmpty();
        List<String> names = IntStream.range(0, 12).mapToObj(i -> "a/b/" + i).toList();
        names.forEach(name -> blobs.put(name, BlobContent.of(bytes(3, 6))));
        blobs.put("a/bc", BlobContent.of(bytes(4, 6)));

        assertThat(blobs.list("a/b/").stream().map(Entry::name)).containsExactlyInAnyOrderElementsOf(names);
        assertThat(blobs.list("a/")).hasSize(13).contains(new Entry("a/bc", 4), new Entry("a/b/3", 3));
    }

    @Test
    final void deletedBlobsAreGoneAndMissingOnesAreNoFailure() {
        blobs.put("a/1", BlobContent.of(bytes(3, 7)));
        blobs.put("a/2", BlobContent.of(bytes(3, 7)));

        blobs.delete(List.of("a/1", "a/none", "c/none"));
        assertThat(blobs.list("a/")).containsExactly(new Entry("a/2", 3));
        blobs.delete(List.of("a/2"));
        blobs.delete(List.of());
        assertThat(blobs.list("a/")).isEmpty();
        blobs.put("a/1", BlobContent.of(bytes(3, 7)));
        assertThat(blobs.list("a/")).hasSize(1);
    }
}
