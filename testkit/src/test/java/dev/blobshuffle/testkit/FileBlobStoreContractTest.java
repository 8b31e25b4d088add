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

class FileBlobStoreContractTest extends BlobStoreContractTest {
    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @Override
    protected BlobStore open() {
        return FileBlobStore.open(List.of(directory), Fsync.BLOB, time);
    }

    @Override
    protected boolean putBeside(String key) throws IOException {
        Path file = directory.resolve(key);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[3]);
        return true;
    }

    @Override
    protected boolean loseMarker() throws IOException {
        Files.delete(directory.resolve("blobshuffle-store"));
        return true;
    }

    @AfterEach
    void end() {
        time.close();
    }
}
