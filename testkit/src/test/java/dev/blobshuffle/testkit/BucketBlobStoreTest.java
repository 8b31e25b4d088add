package dev.blobshuffle.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.BlobCorruptException;
import dev.blobshuffle.core.failure.BlobMissingException;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.KeyPrefix;
import dev.blobshuffle.core.internal.store.bucket.BucketBlobStore;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.RequestMeter.Request;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoredBlob;
import dev.blobshuffle.core.time.SystemTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BucketBlobStoreTest {
    private static final long GENERATION = 29_700_000;

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SystemTime time = new SystemTime();
    private final HeapBucket bucket = new HeapBucket();
    private final List<Request> requests = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void end() {
        time.close();
    }

    @Test
    void theFirstToOpenGivesTheIdAndTheOthersReadIt() {
        try (BucketBlobStore first = open("a/");
                BucketBlobStore second = open("a/");
                BucketBlobStore other = open("b/")) {
            assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
            assertThat(other.fingerprint()).isNotEqualTo(first.fingerprint());
            assertThat(first.location()).isEqualTo("heap://bucket/a");
        }
        assertThat(bucket.objects.keySet()).containsExactly("a/blobshuffle-store", "b/blobshuffle-store");
    }

    @Test
    void anObjectThatIsNoMarkerIsRefusedAndTheClientEnds() {
        bucket.objects.put("blobshuffle-store", new byte[] {1, 2, 3});
        assertThatThrownBy(() -> open(""))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("not a marker");
        assertThat(bucket.closes).hasValue(1);
    }

    @Test
    void anAnswerThatIsCutShortIsNoDamage() throws Exception {
        try (BucketBlobStore store = open("")) {
            put(store, 1);
            bucket.cut = 1;
            assertThatThrownBy(() -> join(store.get(id(1), BlobRange.of(0, 10))))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("9 of 10 bytes");
            bucket.cut = 0;
            assertThatThrownBy(() -> join(store.get(id(1), BlobRange.of(0, 11))))
                    .isInstanceOf(BlobCorruptException.class);
            assertThat(requests)
                    .containsExactly(Request.GET, Request.LIST, Request.PUT, Request.GET, Request.HEAD, Request.HEAD);
        }
    }

    @Test
    void aBlobIsMissingOnlyFromABucketThatStillIsTheStore() throws Exception {
        try (BucketBlobStore store = open("")) {
            assertThatThrownBy(() -> join(store.get(id(1), BlobRange.of(0, 1))))
                    .isInstanceOf(BlobMissingException.class);
            bucket.objects.clear();
            assertThatThrownBy(() -> join(store.get(id(1), BlobRange.of(0, 1))))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("blobshuffle-store");
        }
    }

    @Test
    void eachPageAndEachDeleteIsReported() throws Exception {
        try (BucketBlobStore store = open("")) {
            List<BlobId> ids = new ArrayList<>();
            for (int i = 0; ids.size() < 2 * HeapBucket.PAGE + 1; i++) {
                if (BlobKey.shard(id(i)) == 0) {
                    ids.add(id(i));
                    put(store, i);
                }
            }
            requests.clear();
            assertThat(join(store.list(0, GENERATION)))
                    .extracting(StoredBlob::id)
                    .containsExactlyInAnyOrderElementsOf(ids);
            assertThat(requests).hasSize(BlobKey.SHARDS + 2).containsOnly(Request.LIST);
            requests.clear();
            join(store.delete(ids));
            assertThat(requests).hasSize(4).containsOnly(Request.DELETE); // 7 keys, 2 at a time.
            assertThat(join(store.list(0, GENERATION))).isEmpty();
        }
    }

    @Test
    void anErasedStoreLeavesOnlyTheKeysOfOthers() throws Exception {
        bucket.objects.put("a-too/x", new byte[1]);
        bucket.objects.put("b", new byte[1]);
        try (BucketBlobStore store = open("a/")) {
            for (int i = 0; i < HeapBucket.PAGE + 1; i++) {
                put(store, i);
            }
            assertThat(join(store.registers().orElseThrow().replace("name", Optional.empty(), "text")))
                    .isTrue();
            bucket.objects.put("a/of another program", new byte[1]);
            assertThat(store.erase()).isEqualTo(HeapBucket.PAGE + 1 + 3);
        }
        assertThat(bucket.objects.keySet()).containsExactly("a-too/x", "b");
    }

    @Test
    void aStoreWithoutAPrefixIsNotErased() throws Exception {
        try (BucketBlobStore store = open("")) {
            put(store, 1);
            assertThatThrownBy(store::erase)
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("no prefix");
            assertThat(bucket.objects).hasSize(2);
        }
    }

    @Test
    void keysOfOthersAreNotListed() throws Exception {
        try (BucketBlobStore store = open("")) {
            put(store, 1);
            String directory = BlobKey.generation(0, BlobKey.shard(id(1)), GENERATION);
            bucket.objects.put(directory + "note.txt", new byte[1]);
            bucket.objects.put(BlobKey.shard(0, 0) + "note.txt", new byte[1]);
            bucket.objects.put(BlobKey.shard(0, 0) + "notes/note.txt", new byte[1]);
            assertThat(join(store.list(0, GENERATION)))
                    .extracting(StoredBlob::id)
                    .containsExactly(id(1));
            assertThat(join(store.generations(0))).containsExactly(GENERATION);
        }
    }

    @Test
    void aStoreAmongTheBlobsOfAnotherIsRefused() {
        open("shop/").close();
        open("").close();
        for (String inside : List.of("shop/blobs/", "shop/blobs/x/", "shop/blobs/00/0029700000/", "blobs/shop/")) {
            assertThatThrownBy(() -> open(inside))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("'" + inside + "'")
                    .hasMessageContaining(
                            "heap://bucket/" + (inside.startsWith("shop") ? "shop/" : "") + "blobshuffle-store")
                    .hasMessageContaining("Choose a prefix outside it");
        }
        open("shop/beside/").close();
        open("myblobs/x/").close();
        assertThat(bucket.objects.keySet())
                .containsExactly(
                        "blobshuffle-store",
                        "myblobs/x/blobshuffle-store",
                        "shop/beside/blobshuffle-store",
                        "shop/blobshuffle-store");
    }

    @Test
    void aRoleThatIsLimitedToItsPrefixOpensAStoreBelowAPartBlobs() {
        bucket.hidden = "shop/blobshuffle-store";
        open("shop/blobs/x/").close();
        assertThat(bucket.objects.keySet()).containsExactly("shop/blobs/x/blobshuffle-store");
    }

    @Test
    void aStoreAroundTheKeysOfAnotherIsNotCreated() throws Exception {
        open("shop/blobs/x/").close(); // There is no store around it yet.
        assertThatThrownBy(() -> open("shop/"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("heap://bucket/shop/blobs/x/ exists");
        assertThat(bucket.objects.keySet()).containsExactly("shop/blobs/x/blobshuffle-store");
        bucket.objects.clear();
        try (BucketBlobStore store = open("shop/")) {
            for (int i = 0; i < 20; i++) {
                put(store, i);
            }
        }
        bucket.objects.remove("shop/blobshuffle-store");
        open("shop/").close(); // Its own blobs, of a store whose marker somebody deleted.
    }

    @Test
    void aRegisterThatIsTooLongIsRefusedAndNotCutOff() {
        try (BucketBlobStore store = open("a/")) {
            bucket.objects.put(new KeyPrefix("a/").register("claims"), new byte[Registers.MOST_BYTES + 1]);
            assertThatThrownBy(() -> join(store.registers().orElseThrow().read("claims")))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("claims");
        }
    }

    @Test
    void anInspectionTriesConditionalWritesAndLeavesNothing() {
        try (BucketBlobStore store = open("a/")) {
            assertThat(store.inspect().orElseThrow().findings())
                    .extracting(finding -> finding.level() + " " + finding.subject())
                    .containsExactly("OK place", "OK conditional put", "OK conditional replace");
            bucket.ignoresVersions = true;
            assertThat(store.inspect().orElseThrow().findings())
                    .extracting(finding -> finding.level() + " " + finding.subject())
                    .containsExactly("OK place", "OK conditional put", "WARNING conditional replace");
            bucket.overwrites = true;
            assertThat(store.inspect().orElseThrow().findings())
                    .extracting(finding -> finding.level() + " " + finding.subject())
                    .containsExactly("OK place", "WARNING conditional put", "WARNING conditional replace");
        }
        assertThat(bucket.objects.keySet()).containsExactly("a/blobshuffle-store");
    }

    @Test
    void theClientEndsOnceWithTheStore() {
        BucketBlobStore store = open("");
        assertThat(bucket.closes).hasValue(0);
        store.close();
        store.close();
        assertThat(bucket.closes).hasValue(1);
    }

    private BucketBlobStore open(String prefix) {
        return BucketBlobStore.open(bucket, new KeyPrefix(prefix), new StoreContext(time, requests::add));
    }

    private void put(BucketBlobStore store, long sequence) throws Exception {
        TrackedContent content = loans.content(new byte[10]);
        join(store.put(id(sequence), content));
        content.release();
    }

    private static BlobId id(long sequence) {
        return new BlobId(GENERATION, 7, sequence);
    }

    private static <T> T join(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
