package dev.blobshuffle.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.store.BlobBytes;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobRange;
import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.store.StoreInspection;
import dev.blobshuffle.core.store.StoreUri;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the store's behaviour while the server, the container or a blob is missing, and the
 * credentials that open it.
 */
class AzureBlobStoreIT {
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
    void whatCannotWorkIsAWrongSetting() {
        Azurite server = Azurite.shared();
        assertThatThrownBy(() -> BlobStores.open(AzureTestContainer.uri(server, "no-such-container", ""), time))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("az://devstoreaccount1/no-such-container")
                .hasMessageContaining("Create container");
        String container = AzureTestContainer.make(server);
        String wrong = Base64.getEncoder().encodeToString("secret".repeat(10).getBytes());
        assertThatThrownBy(() -> open(server, container, Map.of("AZURE_STORAGE_KEY", wrong)))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("AuthorizationFailure")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain(wrong));
    }

    @Test
    void keyTokenAndConnectionStringOpenTheSameStore() {
        Azurite server = Azurite.shared();
        String container = AzureTestContainer.make(server);
        try (BlobStore byKey = open(server, container, Map.of("AZURE_STORAGE_KEY", Azurite.ACCOUNT_KEY));
                BlobStore byToken =
                        open(server, container, Map.of("AZURE_STORAGE_SAS_TOKEN", token(server, container)));
                BlobStore byString =
                        open(server, container, Map.of("AZURE_STORAGE_CONNECTION_STRING", server.connectionString()))) {
            BlobStores.check(byToken, time);
            assertThat(byToken.fingerprint()).isEqualTo(byKey.fingerprint());
            assertThat(byString.fingerprint()).isEqualTo(byKey.fingerprint());
            assertThat(byToken.location()).isEqualTo("az://devstoreaccount1/" + container + "/a");
        }
    }

    @Test
    void aServerThatComesBackIsUsedAgain() throws Exception {
        try (Azurite server = Azurite.start(directory)) {
            aServerThatComesBackIsUsedAgain(server);
        }
    }

    private void aServerThatComesBackIsUsedAgain(Azurite server) throws Exception {
        String container = AzureTestContainer.make(server);
        try (BlobStore store = BlobStores.open(AzureTestContainer.uri(server, container, "/a"), time)) {
            put(store);
            server.kill();
            assertThatThrownBy(() -> put(store))
                    .isInstanceOf(StoreUnavailableException.class)
                    .isNotInstanceOf(StoreRefusedException.class);
            assertThatThrownBy(() -> read(store)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> BlobStores.open(AzureTestContainer.uri(server, container, "/a"), time))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no connection");
            server.restart();
            // The server saves its metadata at intervals, so a container of the last seconds may be
            // gone.
            try (AzureHttpClient http = new AzureHttpClient(HttpLimits.OF_A_BUCKET, time)) {
                AzureTestContainer.client(server, container, http).createIfNotExists();
            }
            put(store);
            assertThat(read(store)).isEqualTo(100);
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsGivenUpInTimeAndAnOwnClientStaysOpen() throws Exception {
        try (Azurite server = Azurite.start(directory)) {
            aServerThatDoesNotAnswerIsGivenUpInTimeAndAnOwnClientStaysOpen(server);
        }
    }

    /**
     * A busy machine would disturb the client with short limits, so it sends only the request that
     * must fail.
     */
    private void aServerThatDoesNotAnswerIsGivenUpInTimeAndAnOwnClientStaysOpen(Azurite server) throws Exception {
        String container = AzureTestContainer.make(server);
        try (AzureHttpClient hasty =
                        new AzureHttpClient(HttpLimits.OF_A_BUCKET.withSilence(Duration.ofSeconds(2)), time);
                AzureHttpClient patient = new AzureHttpClient(HttpLimits.OF_A_BUCKET, time)) {
            var client = AzureTestContainer.client(server, container, patient);
            try (BlobStore store = AzureBlobStores.open(client, "a b/", StoreContext.unmetered(time));
                    BlobStore hastyStore = AzureBlobStores.open(
                            AzureTestContainer.client(server, container, hasty),
                            "a b/",
                            StoreContext.unmetered(time))) {
                put(store);
                server.pause();
                try {
                    assertThatThrownBy(() -> put(hastyStore))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("no answer in time");
                } finally {
                    server.resume();
                }
                assertThat(read(store)).isEqualTo(100);
            }
            assertThat(client.exists()).isTrue();
        }
    }

    @Test
    void anInspectionTellsWhatTheEmulatorTells() {
        Azurite server = Azurite.shared();
        try (BlobStore store =
                BlobStores.open(AzureTestContainer.uri(server, AzureTestContainer.make(server), "/a"), time)) {
            StoreInspection inspection = store.inspect().orElseThrow();
            assertThat(inspection.clockAhead()).contains(Duration.ZERO);
            assertThat(inspection.findings())
                    .extracting(finding -> finding.level() + " " + finding.subject())
                    .containsExactly(
                            "OK versioning",
                            "OK soft delete",
                            "OK account",
                            "HINT lifecycle",
                            "OK conditional put",
                            "OK conditional replace");
        }
    }

    private String token(Azurite server, String container) {
        try (AzureHttpClient http = new AzureHttpClient(HttpLimits.OF_A_BUCKET, time)) {
            return AzureTestContainer.client(server, container, http)
                    .generateSas(new com.azure.storage.blob.sas.BlobServiceSasSignatureValues(
                            java.time.OffsetDateTime.now().plusHours(1),
                            com.azure.storage.blob.sas.BlobContainerSasPermission.parse("racwdl")));
        }
    }

    private BlobStore open(Azurite server, String container, Map<String, String> environment) {
        StoreUri uri = StoreUri.parse(AzureTestContainer.uri(server, container, "/a"));
        return AzureBlobStoreProvider.open(uri, StoreContext.unmetered(time), environment);
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
