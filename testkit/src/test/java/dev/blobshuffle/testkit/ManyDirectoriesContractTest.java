package dev.blobshuffle.testkit;

import dev.blobshuffle.core.internal.store.directory.FileBlobStore;
import dev.blobshuffle.core.internal.store.directory.Fsync;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class ManyDirectoriesContractTest extends BlobStoreContractTest {
    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @Override
    protected BlobStore open() {
        List<Path> directories = List.of(directory.resolve("a"), directory.resolve("b"), directory.resolve("c"));
        return FileBlobStore.open(directories, Fsync.NONE, time);
    }

    @Override
    protected boolean putBeside(String key) throws IOException {
        Path file = directory.resolve("b").resolve(key);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[3]);
        return true;
    }

    @Override
    protected boolean loseMarker() throws IOException {
        for (String disk : List.of("a", "b", "c")) {
            Files.delete(directory.resolve(disk).resolve("blobshuffle-store"));
        }
        return true;
    }

    @AfterEach
    void end() {
        time.close();
    }
}
