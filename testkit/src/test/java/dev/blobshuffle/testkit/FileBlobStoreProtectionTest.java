package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.internal.store.directory.FileBlobStore;
import dev.blobshuffle.core.internal.store.directory.Fsync;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who else on the machine can read a file store, and where symbolic links in it can lead. */
class FileBlobStoreProtectionTest {
    private static final BlobId ID = new BlobId(29_453_760, 7, 1);

    @TempDir
    private Path directory;

    private final SystemTime time = new SystemTime();
    private Path root;
    private Path outside;
    private FileBlobStore store;

    @BeforeEach
    void open() throws IOException {
        root = directory.resolve("store");
        outside = Files.createDirectory(directory.resolve("outside"));
        store = FileBlobStore.open(List.of(root), Fsync.NONE, time);
    }

    @AfterEach
    void close() {
        store.close();
        time.close();
    }

    @Test
    void onlyTheOwnerReadsAndWritesBlobs() throws IOException {
        put();
        try (Stream<Path> made = Files.walk(root)) {
            for (Path path :
                    made.filter(at -> !at.endsWith("blobshuffle-store")).toList()) {
                String expected = Files.isDirectory(path) ? "rwx------" : "rw-------";
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                        .as("%s", path)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aLinkInThePlaceOfABlobIsNotRead() throws IOException {
        Path secret = Files.writeString(outside.resolve("secret"), "not a blob");
        Path blob = root.resolve(BlobKey.of(ID));
        Files.createDirectories(blob.getParent());
        Files.createSymbolicLink(blob, secret);
        assertThatThrownBy(() ->
                        store.get(ID, BlobRange.of(0, 3)).toCompletableFuture().join())
                .hasMessageContaining("read blob");
    }

    @Test
    void aLinkInThePlaceOfADirectoryIsNotFollowed() throws IOException {
        Path generation = root.resolve(BlobKey.of(ID)).getParent();
        Files.createDirectories(generation.getParent());
        Files.createSymbolicLink(generation, outside);
        assertThatThrownBy(this::put).hasStackTraceContaining("symbolic link");
        assertThat(outside).isEmptyDirectory();

        Path theirs =
                Files.writeString(outside.resolve(root.resolve(BlobKey.of(ID)).getFileName()), "theirs");
        assertThatThrownBy(() -> store.delete(List.of(ID)).toCompletableFuture().join())
                .hasStackTraceContaining("symbolic link");
        assertThat(theirs).exists();
    }

    private void put() {
        store.put(ID, BlobContent.of(new byte[10])).toCompletableFuture().join();
    }
}
