package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.GenerationSpan;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store in a directory bucket: the AWS SDK makes its sessions, the store lists as it must. */
class DirectoryBucketTest {
    private static final BlobId ID = new BlobId(29_700_000, 1, 1);
    private static final BlobId NEXT = new BlobId(29_700_003, 1, 2);
    private static final BlobId LATER = new BlobId(29_700_020, 1, 3);

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @BeforeEach
    void useCredentials() {
        TestCredentials.use();
    }

    @AfterEach
    void end() {
        time.close();
    }

    @Test
    void aStoreWorksInADirectoryBucket() throws Exception {
        try (DirectoryBucket bucket = new DirectoryBucket();
                BlobStore store = BlobStores.open(bucket.uri(), time)) {
            for (BlobId id : List.of(ID, NEXT, LATER)) {
                store.put(id, BlobContent.of(new byte[] {1, 2, 3}))
                        .toCompletableFuture()
                        .join();
            }
            try (BlobBytes bytes =
                    store.get(ID, BlobRange.of(1, 2)).toCompletableFuture().join()) {
                assertThat(bytes.buffer().get(0)).isEqualTo((byte) 2);
            }
            assertThat(store.length(ID).toCompletableFuture().join()).isEqualTo(3);
            GenerationSpan span = new GenerationSpan(29_700_000, 1);
            assertThat(store.list(0, span).toCompletableFuture().join())
                    .extracting(StoredBlob::id)
                    .containsExactlyInAnyOrder(ID, NEXT);
            store.delete(List.of(ID, NEXT)).toCompletableFuture().join();
            assertThat(store.list(0, span).toCompletableFuture().join()).isEmpty();
            assertThat(store.generations(0).toCompletableFuture().join()).containsExactly(LATER.generation());

            assertThat(bucket.refused()).isEmpty();
            assertThat(bucket.sessions()).as("one session for all requests").hasSize(1);
        }
    }

    /** The evidence for the guide. */
    @Test
    void aStoreOfTwoSpeedsHasItsFastHalfThere() throws Exception {
        try (DirectoryBucket bucket = new DirectoryBucket();
                BlobStore store = BlobStores.open(
                        "two-speed:fast=" + bucket.uri() + ",durable=file://" + directory.resolve("blobs"), time)) {
            store.put(ID, BlobContent.of(new byte[] {1})).toCompletableFuture().join();
            store.get(ID, BlobRange.of(0, 1)).toCompletableFuture().join().close();
            assertThat(bucket.refused()).isEmpty();
        }
    }
}
