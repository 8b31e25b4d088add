package dev.blobshuffle.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Storage;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import dev.blobshuffle.testkit.internal.servers.FakeGcsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Checks the store's behaviour while the server, the bucket or an object is missing. */
class GcsBlobStoreIT {
    private static final BlobId ID = new BlobId(29_700_000, 1, 1);

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();

    @AfterEach
    void stop() {
        time.close();
    }

    @Test
    void aBucketThatIsNotThereIsAWrongSetting() {
        FakeGcsServer server = FakeGcsServer.shared();
        assertThatThrownBy(() -> BlobStores.open(uri(server, "no-such-bucket"), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("gs://no-such-bucket")
                .hasMessageContaining("Create bucket");
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        try (FakeGcsServer server = FakeGcsServer.start(directory)) {
            server.kill();
            assertThatThrownBy(() -> BlobStores.open(uri(server, "bucket"), time))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no connection");
        }
    }

    @Test
    void aServerThatComesBackIsUsedAgain() throws Exception {
        try (FakeGcsServer server = FakeGcsServer.start(directory)) {
            aServerThatComesBackIsUsedAgain(server);
        }
    }

    private void aServerThatComesBackIsUsedAgain(FakeGcsServer server) throws Exception {
        String bucket = GcsTestBucket.make(server);
        try (BlobStore store = BlobStores.open(uri(server, bucket), time)) {
            put(store);
            server.kill();
            assertThatThrownBy(() -> put(store)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> read(store)).isInstanceOf(StoreUnavailableException.class);
            server.restart(); // The server's memory is empty, so the bucket is gone.
            assertThatThrownBy(() -> put(store)).isInstanceOf(StoreRefusedException.class);
            assertThatThrownBy(() -> read(store))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("not a store any more");
            server.makeBucket(bucket);
            put(store);
            assertThat(read(store)).isEqualTo(100);
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUpInTime() {
        try (FakeGcsServer server = FakeGcsServer.start(directory);
                GcsClient client = new GcsClient(HttpLimits.OF_A_BUCKET.withSilence(Duration.ofMillis(300)), time);
                BlobStore store = GcsBlobStores.open(
                        storage(client, server), GcsTestBucket.make(server), "", StoreContext.unmetered(time))) {
            server.pause();
            assertThatThrownBy(() -> put(store))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no answer in time");
            assertThatThrownBy(() -> read(store)).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void anApplicationsOwnClientOpensTheSameStoreAndStaysOpen() throws Exception {
        FakeGcsServer server = FakeGcsServer.shared();
        String bucket = GcsTestBucket.make(server);
        try (GcsClient client = new GcsClient(HttpLimits.OF_A_BUCKET, time)) {
            Storage storage = storage(client, server);
            try (BlobStore byUri = BlobStores.open(uri(server, bucket), time);
                    BlobStore byClient = GcsBlobStores.open(storage, bucket, "a/", StoreContext.unmetered(time))) {
                assertThat(byClient.fingerprint()).isEqualTo(byUri.fingerprint());
                put(byClient);
                assertThat(read(byUri)).isEqualTo(100);
            }
            assertThat(storage.get(bucket)).isNotNull();
        }
    }

    @Test
    void anInspectionTellsWhatTheServerTells() {
        FakeGcsServer server = FakeGcsServer.shared();
        try (BlobStore store = BlobStores.open(uri(server, GcsTestBucket.make(server)), time)) {
            assertThat(store.inspect().orElseThrow().findings())
                    .extracting(finding -> finding.level() + " " + finding.subject())
                    .containsExactly(
                            "OK region",
                            "OK soft delete",
                            "WARNING lifecycle",
                            "OK conditional put",
                            "OK conditional replace");
        }
    }

    private static String uri(FakeGcsServer server, String bucket) {
        return "gs://" + bucket + "/a?endpoint=" + server.endpoint();
    }

    private static Storage storage(GcsClient client, FakeGcsServer server) {
        return client.storage(
                NoCredentials.getInstance(), Optional.of(server.endpoint().toString()), Optional.of("test"));
    }

    private void put(BlobStore store) throws Exception {
        TrackedContent content = loans.content(new byte[100]);
        try {
            join(store.put(ID, content));
        } finally {
            content.release();
        }
    }

    private static int read(BlobStore store) throws Exception {
        try (BlobBytes bytes = join(store.get(ID, BlobRange.of(0, 100)))) {
            return bytes.buffer().remaining();
        }
    }

    private static <T> T join(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(2, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
