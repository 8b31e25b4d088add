package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.NamedBlobs;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileNamedBlobsContractTest extends NamedBlobsContractTest {
    private final SystemTime time = new SystemTime();

    @TempDir
    private Path directory;

    @Override
    protected NamedBlobs open() {
        return open("file://" + directory);
    }

    private NamedBlobs open(String uri) {
        return BlobStores.openNamed(uri, StoreContext.unmetered(time));
    }

    @AfterEach
    void end() {
        time.close();
    }

    /** A mount point without its file system is no empty store. */
    @Test
    void aDirectoryThatIsNotThereIsUnavailable() {
        NamedBlobs blobs = open("file://" + directory.resolve("absent"));

        assertThatThrownBy(() -> blobs.put("a/b", BlobContent.of(new byte[1])))
                .isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> blobs.list("a/")).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> blobs.delete(List.of("a/b"))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> blobs.read("a/b", 0, ByteBuffer.allocate(1)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("mounted");
        assertThat(directory.resolve("absent")).doesNotExist();
    }

    @Test
    void whatAKilledProcessLeftIsNotListedAndGoesWithTheLastBlob() throws IOException {
        NamedBlobs blobs = open();
        blobs.put("a/b", BlobContent.of(new byte[1]));
        Files.write(directory.resolve("a").resolve("c.12ab.tmp"), new byte[10]);

        assertThat(blobs.list("a/")).hasSize(1);
        blobs.delete(List.of("a/b"));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void namesStayBelowTheDirectory() {
        NamedBlobs blobs = open();
        for (String name : List.of("../a", "a/../../b", "/etc/passwd", "a//b", "a/./b", "")) {
            assertThatThrownBy(() -> blobs.put(name, BlobContent.of(new byte[1])))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void storesThatKeepNoNamesSaySo() {
        assertThatThrownBy(() -> open("memory://m"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("memory://")
                .hasMessageContaining("Use s3:// or file://");
        assertThatThrownBy(() -> open("file:///a,/b")).isInstanceOf(InvalidSettingsException.class);
        assertThatThrownBy(() -> open("file:///a?fsnyc=none")).isInstanceOf(InvalidSettingsException.class);
    }
}
