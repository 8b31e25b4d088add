package dev.blobshuffle.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.core.exception.HttpResponseException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import dev.blobshuffle.core.internal.store.FileRegion;
import dev.blobshuffle.core.internal.store.PiecedContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.http.internal.HttpLimits;
import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import dev.blobshuffle.testkit.internal.servers.Azurite;
import dev.blobshuffle.testkit.internal.servers.StubService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the requests that the bucket sends and how it interprets answers. */
class AzureBucketTest {
    private static final String MODIFIED = "Fri, 02 Jan 2026 03:04:05 GMT";

    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final SystemTime time = new SystemTime();
    private final AzureHttpClient http = new AzureHttpClient(HttpLimits.OF_A_BUCKET, time);
    private StubService service;

    @BeforeEach
    void start() {
        service = StubService.start();
        service.answerWith(201, Map.of(), "");
    }

    @AfterEach
    void stop() {
        http.close();
        time.close();
        service.close();
    }

    @Test
    void aPutIsOneSignedRequestWithTheChecksum() {
        put(bucket(AzureChecksum.CRC64, Body.BUFFERS));
        assertThat(service.requests()).hasSize(1);
        StubService.Request request = service.requests().get(0);
        assertThat(request.method()).isEqualTo("PUT");
        assertThat(request.uri()).isEqualTo("/devstoreaccount1/container/a%20dir%2Fkey");
        assertThat(request.body()).isEqualTo("a piece and another");
        assertThat(request.headers().getFirst("Content-length")).isEqualTo("19");
        assertThat(request.headers().getFirst("X-ms-blob-type")).isEqualTo("BlockBlob");
        assertThat(request.headers().getFirst("X-ms-content-crc64")).hasSize(12);
        assertThat(request.headers().getFirst("Authorization")).startsWith("SharedKey devstoreaccount1:");
        assertThat(request.headers().getFirst("User-agent")).startsWith("blobshuffle");
        put(bucket(AzureChecksum.NONE, Body.COPIED));
        assertThat(service.requests().get(1).headers()).doesNotContainKey("X-ms-content-crc64");
        assertThat(service.requests().get(1).body()).isEqualTo("a piece and another");
    }

    /** A copy of the pieces would take the whole blob into memory and fail above 2 GiB. */
    @Test
    void piecesAreSentAsTheyAreRead(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "a piece and another");
        List<FileRegion> regions = List.of(new FileRegion(file, 2, 9), new FileRegion(file, 0, 1));
        for (Body body : Body.values()) {
            bucket(AzureChecksum.MD5, body).put("a dir/key", PiecedContent.ofFiles(regions, () -> {}));
        }
        assertThat(service.requests())
                .extracting(StubService.Request::body)
                .containsExactly("piece anda", "piece anda");
        assertThat(Body.COPIED.of(PiecedContent.of(3L << 30, (offset, piece) -> {}, () -> {})))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "401, NoAuthenticationInformation, StoreRefusedException, AZURE_STORAGE_KEY",
        "403, AuthenticationFailed, StoreRefusedException, clock",
        "403, AuthorizationPermissionMismatch, StoreRefusedException, Storage Blob Data Contributor",
        "404, ContainerNotFound, StoreRefusedException, Create container",
        "409, ContainerBeingDeleted, StoreRefusedException, deletion",
        "429, , StoreThrottledException, batch.max.bytes",
        "503, ServerBusy, StoreThrottledException, batch.max.bytes",
        "503, , StoreUnavailableException, status page",
        "500, OperationTimedOut, StoreThrottledException, batch.max.bytes",
        "500, InternalError, StoreUnavailableException, status page",
        "400, Crc64Mismatch, StoreUnavailableException, changed on their way",
        "400, InvalidResourceName, StoreRefusedException, Check the container",
    })
    void anAnswerBecomesTheFailureThatSaysWhatToDo(int status, String code, String type, String remedy) {
        service.answerWith(
                status,
                code == null
                        ? Map.of("Content-Type", "application/xml")
                        : Map.of("x-ms-error-code", code, "Content-Type", "application/xml"),
                "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code></Error>");
        AzureBucket bucket = bucket(AzureChecksum.CRC64, Body.BUFFERS);
        assertThatThrownBy(() -> put(bucket))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("Cannot write a dir/key to az://devstoreaccount1/container: HTTP " + status)
                .hasMessageContaining(remedy)
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
        assertThatThrownBy(() -> bucket.objects("", Optional.empty()))
                .hasCauseInstanceOf(HttpResponseException.class)
                .hasMessageNotContaining("null")
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
        // Retries belong to a decorator, so the client makes none.
        assertThat(service.requests()).hasSize(2);
    }

    @Test
    void requestsOfAllKindsShareAConnection() {
        AzureBucket bucket = bucket(AzureChecksum.MD5, Body.BUFFERS);
        put(bucket);
        service.answerWith(404, Map.of("x-ms-error-code", "BlobNotFound"), "<Error/>");
        assertThat(bucket.get("key", 0, 10)).isEmpty();
        assertThat(bucket.length("key")).isEmpty();
        bucket.delete(List.of("key"));
        service.answerWith(206, Map.of(), "0123456789");
        for (int i = 0; i < 3; i++) {
            assertThat(bucket.get("key", 0, 10).orElseThrow().remaining()).isEqualTo(10);
        }
        assertThat(service.requests())
                .hasSize(7)
                .extracting(StubService.Request::clientPort)
                .containsOnly(service.requests().get(0).clientPort());
    }

    @Test
    void aServiceThatIsNotThereIsUnavailable() {
        service.close();
        assertThatThrownBy(() -> put(bucket(AzureChecksum.CRC64, Body.BUFFERS)))
                .isInstanceOf(StoreUnavailableException.class)
                .isNotInstanceOf(StoreThrottledException.class)
                .hasMessageContaining("no connection")
                .hasMessageContaining("Check the endpoint");
    }

    @Test
    void aServiceThatIgnoresRangesIsNotBelieved() {
        service.answerWith(200, Map.of(), "all of the object");
        AzureBucket bucket = bucket(AzureChecksum.CRC64, Body.BUFFERS);
        assertThat(bucket.get("key", 0, 3).orElseThrow().remaining()).isEqualTo(3);
        assertThatThrownBy(() -> bucket.get("key", 2, 3))
                .isInstanceOf(StoreUnavailableException.class)
                .hasRootCauseInstanceOf(IOException.class)
                .hasMessageContaining("x-ms-range");
    }

    @ParameterizedTest
    @CsvSource({"412, ConditionNotMet", "409, BlobAlreadyExists"})
    void aRegisterThatAnotherWroteIsAConflict(int status, String code) {
        service.answerWith(status, Map.of("x-ms-error-code", code), "<Error/>");
        assertThat(bucket().putIfAbsent("key", new byte[3])).isFalse();
        assertThat(bucket().putIfVersion("key", "\"7\"", new byte[3])).isFalse();
        assertThat(service.requests().get(0).headers().getFirst("If-None-Match"))
                .isEqualTo("*");
        assertThat(service.requests().get(1).headers().getFirst("If-Match")).isEqualTo("\"7\"");
    }

    @ParameterizedTest
    @CsvSource({
        "409, ContainerBeingDeleted, StoreRefusedException",
        "429, , StoreThrottledException",
        "503, ServerBusy, StoreThrottledException",
        "500, OperationTimedOut, StoreThrottledException",
        "500, InternalError, StoreUnavailableException",
        "503, , StoreUnavailableException"
    })
    void anAnswerThatDecidesNothingIsAFailure(int status, String code, String type) {
        service.answerWith(status, code == null ? Map.of() : Map.of("x-ms-error-code", code), "<Error/>");
        assertThatThrownBy(() -> bucket().putIfVersion("key", "\"7\"", new byte[3]))
                .satisfies(failure ->
                        assertThat(failure.getClass().getSimpleName()).isEqualTo(type));
        assertThat(service.requests()).hasSize(1);
    }

    /**
     * If the client repeated the request by itself, it would meet its own text and report a
     * conflict.
     */
    @Test
    void aLostAnswerIsUnknownAndTheNextReadShowsTheText() {
        AzureBucket bucket = bucket();
        service.loseAnswers();
        assertThatThrownBy(() -> bucket.putIfAbsent("key", "text".getBytes()))
                .isExactlyInstanceOf(StoreUnavailableException.class)
                .hasRootCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> bucket.putIfVersion("key", "\"7\"", "text".getBytes()))
                .isExactlyInstanceOf(StoreUnavailableException.class)
                .hasRootCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> bucket.read("key", 99)).isExactlyInstanceOf(StoreUnavailableException.class);
        assertThat(service.requests()).extracting(StubService.Request::method).containsExactly("PUT", "PUT", "GET");
        service.answerWith(200, Map.of("ETag", "\"8\"", "Last-Modified", MODIFIED), "text");
        assertThat(bucket.read("key", 99)).hasValue(new Register("8", "text", Instant.parse("2026-01-02T03:04:05Z")));
    }

    /**
     * The caller requests one byte more than a register may have. That byte shows that the text is
     * too long.
     */
    @Test
    void noMoreOfARegisterIsReadThanWasAskedFor() {
        service.answerWith(200, Map.of("ETag", "\"8\"", "Last-Modified", MODIFIED), "0123456789");
        assertThat(bucket().read("key", 9))
                .hasValue(new Register("8", "012345678", Instant.parse("2026-01-02T03:04:05Z")));
    }

    private AzureBucket bucket() {
        return bucket(AzureChecksum.CRC64, Body.BUFFERS);
    }

    private AzureBucket bucket(AzureChecksum checksum, Body body) {
        var client = AzureBlobStoreProvider.builder(http)
                .connectionString("DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey="
                        + Azurite.ACCOUNT_KEY + ";BlobEndpoint=" + service.endpoint() + "/devstoreaccount1;")
                .containerName("container")
                .buildClient();
        return new AzureBucket(client, checksum, body, time, () -> {});
    }

    private void put(AzureBucket bucket) {
        TrackedContent content = loans.content("a piece ".getBytes(), new byte[0], "and another".getBytes());
        try {
            bucket.put("a dir/key", content);
        } finally {
            content.release();
        }
    }
}
