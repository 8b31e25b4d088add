package dev.blobshuffle.core.internal.store.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.ForwardingBlobStore;
import dev.blobshuffle.core.internal.store.MemoryBlobStore;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlobStoresTest {
    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void end() {
        time.close();
    }

    @Test
    void aFileStoreOpensInOneOrSeveralDirectoriesAndLeavesNoProbe() {
        String uri = "file://" + directory.resolve("a b").toString().replace(" ", "%20");
        try (BlobStore store = BlobStores.open(uri + "?fsync=none", time)) {
            assertThat(store.location()).isEqualTo("file://" + directory.resolve("a b"));
            assertThat(store.generations(0).toCompletableFuture().join()).isEmpty();
        }
        try (BlobStore store =
                BlobStores.open("file://" + directory.resolve("c") + "," + directory.resolve("d"), time)) {
            assertThat(store.location()).endsWith("c," + directory.resolve("d"));
        }
    }

    @Test
    void aMemoryStoreIsSharedUnderItsName() {
        try (BlobStore one = BlobStores.open("memory://stores-test?capacity=1000", time);
                BlobStore same = BlobStores.open("memory://stores-test", time);
                BlobStore other = BlobStores.open("memory://stores-test-2", time)) {
            assertThat(one.fingerprint()).isEqualTo(same.fingerprint()).isNotEqualTo(other.fingerprint());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s3://bucket/prefix | dev.blobshuffle:blobshuffle-s3",
                "gs://bucket/prefix | merge all files META-INF/services/dev.blobshuffle.core.store.BlobStoreProvider",
                "ftp://host/dir | file://, memory://",
                "s3a://bucket/prefix | Write s3://",
                "/var/lib/blobs | no scheme",
                "file:/var/lib/blobs | no scheme",
                "file://var/lib/blobs | three slashes",
                "file:///a,relative | 'relative' is not an absolute directory",
                "file:/// | not an absolute directory",
                "file:///a%00b | names no directory: Nul character",
                "file:///a?fsync=maybe | Give none or blob",
                "file:///a?sync=none | no parameter 'sync'. The nearest is 'fsync'. Known parameters: fsync",
                "file:///a?fsync=none&fsync=none | twice",
                "file:///a?fsync | name=value",
                "memory:// | not a URI",
                "memory:///x | needs a name",
                "memory://x?capacity=1MiB | number of bytes",
                "s3://user:secret@bucket/x | credentials",
                "file:///a b | not a URI"
            })
    void aUriThatCannotWorkSaysWhy(String uri, String reason) {
        assertThatThrownBy(() -> BlobStores.open(uri, time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(reason)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsUnavailable() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> BlobStores.open("file://" + file.resolve("sub"), time))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("writable");
    }

    @Test
    void aStoreThatForgetsOrChangesBlobsIsFoundAtTheStart() {
        BlobStore forgetful = new ForwardingBlobStore(new MemoryBlobStore("forgetful", 1000)) {
            @Override
            public CompletionStage<Void> put(BlobId id, BlobContent content) {
                return CompletableFuture.completedFuture(null);
            }
        };
        assertThatThrownBy(() -> BlobStores.check(forgetful, time))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("read a probe")
                .hasCauseInstanceOf(BlobMissingException.class);
        BlobStore full = new MemoryBlobStore("full", 1);
        assertThatThrownBy(() -> BlobStores.check(full, time))
                .hasMessageContaining("write a probe")
                .hasMessageContaining("is full");
    }

    @Test
    void aProbeThatCannotBeReadIsDeletedAllTheSame() {
        BlobStore memory = new MemoryBlobStore("unreadable", 1000);
        BlobStore unreadable = new ForwardingBlobStore(memory) {
            @Override
            public CompletionStage<BlobBytes> get(BlobId id, BlobRange range) {
                return CompletableFuture.failedFuture(
                        new StoreUnavailableException("Cannot read: no answer. Try again."));
            }
        };
        assertThatThrownBy(() -> BlobStores.check(unreadable, time))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("read a probe");
        assertThat(memory.generations(0).toCompletableFuture().join()).isEmpty();
    }

    @Test
    void aStoreThatRefusesAtTheStartIsWronglySet() {
        BlobStore keeping = new ForwardingBlobStore(new MemoryBlobStore("keeping", 1000)) {
            @Override
            public CompletionStage<Void> delete(Collection<BlobId> ids) {
                return CompletableFuture.failedFuture(
                        new StoreRefusedException("Cannot delete: no permission. Allow it."));
            }
        };
        assertThatThrownBy(() -> BlobStores.check(keeping, time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("delete a probe")
                .hasMessageContaining("Allow it.");
    }

    @Test
    void aUriIsTakenApart() {
        StoreUri uri = StoreUri.parse("S3://bucket/a%20b?endpoint=https%3A%2F%2Fhost%3A1&path-style=true");
        assertThat(uri)
                .isEqualTo(new StoreUri(
                        "s3", "bucket", "/a b", Map.of("endpoint", "https://host:1", "path-style", "true")));
    }

    @Test
    void aRangeWhoseEndHasNoNumberIsRefused() {
        assertThatThrownBy(() -> BlobRange.of(Long.MAX_VALUE - 1, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BlobRange(0, 10, 5, Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BlobRange(0, Long.MIN_VALUE, 5, 10)).isInstanceOf(IllegalArgumentException.class);
    }
}
